// The pages of the site, with addresses that exist in the sample data.

/** Name → path without the language. */
export async function pagesOf(service) {
  const first = async (path) => (await service.api(path)).results[0];
  const contract = await first('/contract?q=d%C3%A9neigement&limit=1');
  const tender = await first('/tender?status=open&limit=1');
  const withNumber = (await service.api('/tender?limit=100')).results.find((record) => record.solicitation_number);
  const whole = await wholeSolicitation(service);
  const counts = await service.api('/contract?facets=vendor,department&limit=1');
  const [vendor] = counts.facets.vendor.values.map((row) => row.value);
  const [department, otherDepartment] = counts.facets.department.values.map((row) => row.value);
  const [commodity] = (await service.api('/commodities?limit=1')).results;
  const bids = (await service.api('/bids?won=false&commodity=72&limit=100')).results;
  const bid = bids.find(({ procedure }) => procedure === 'open');
  const call = await service.api(`/tender/${encodeURIComponent(bid.record_id)}`);
  const bodies = (await service.api('/bodies?limit=1')).results;
  const suppliers = (await service.api('/suppliers?limit=100')).results;
  const supplier = suppliers.find(({ names, open_calls }) => names > 1 && open_calls.calls > 0);
  const [rival] = (await service.api(`/supplier/${supplier.id}`)).bids.rivals;
  const part = encodeURIComponent;
  return {
    home: '',
    search: '/search?kind=contract&q=d%C3%A9neigement',
    'search-translated': '/search?kind=contract&q=snow+removal',
    'search-all': '/search?kind=tender',
    'search-nothing': '/search?kind=contract&q=xyzzyx+neige&vendor=nothing+of+the+kind',
    'search-misspelled': '/search?kind=contract&q=deneigemnt+inconnue',
    'search-narrow': '/search?kind=contract&q=deneigemnt+services&municipality=toronto',
    'search-wrong': '/search?kind=contract&value_min=abc',
    record: `/record/contract/${part(contract.record_id)}`,
    'record-tender': `/record/tender/${part(tender.record_id)}`,
    'record-bids': `/record/tender/${part(bid.record_id)}`,
    supplier: `/supplier/${supplier.id}`,
    'compare-suppliers': `/compare/supplier?of=${supplier.id}&of=${part(rival.vendor_name)}`,
    body: `/body/${bodies[0].id}`,
    'search-supplier': `/search?kind=contract&supplier=${supplier.id}`,
    vendor: `/vendor/${part(vendor)}`,
    'compare-buyers': `/compare/department?of=${part(department)}&of=${part(otherDepartment)}&of=nobody`,
    'compare-commodities': `/compare/commodity?of=${part(commodity.commodity)}`,
    department: `/department/${part(department)}`,
    'department-bids': `/department/${part(bid.department)}`,
    commodity: `/commodity/${part(commodity.commodity)}`,
    'commodity-bids': `/commodity/${call.unspsc}`,
    commodities: '/commodities',
    suppliers: '/suppliers?limit=20',
    bodies: '/bodies?q=ville',
    bids: '/bids?q=pavage+OR+paving',
    solicitation: `/solicitation/${part(withNumber.solicitation_number)}`,
    'solicitation-whole': `/solicitation/${part(whole)}`,
    worth: `/tender/${part(tender.record_id)}/worth`,
    feed: '/feed?keywords=travaux&days_back=30',
    sources: '/sources',
    cite: '/cite?of=%2Fen%2Fsearch%3Fq%3Dpaving',
    about: '/about',
    account: '/account',
  };
}

/** The number of a solicitation with records of three entity types, of the newest that are not in the future. */
async function wholeSolicitation(service) {
  const today = new Date().toISOString().slice(0, 10);
  const { results } = await service.api(`/award?limit=100&issued_before=${today}`);
  for (const number of new Set(results.map((record) => record.solicitation_number).filter(Boolean))) {
    const { entity_types } = await service.api(`/procurement/${encodeURIComponent(number)}`);
    if (entity_types.length >= 3) return number;
  }
  throw new Error('no solicitation has records of three entity types');
}

/** Signs in with the key, as a visitor does. */
export async function signIn(page, service, language = 'en') {
  await page.goto(`/${language}/account`);
  await page.locator('input[name="key"], input[type="password"]').first().fill(service.key);
  await page.locator('main form button').first().click();
  await page.waitForLoadState();
}
