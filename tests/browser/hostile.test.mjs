// Records that try to break a page are shown as text.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launch, NARROW, openPage, screenshot } from './browser.mjs';
import { HOSTILE, startService } from './service.mjs';

let service;
let browser;
before(async () => {
  service = await startService({ hostile: true });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

test('hostile records are text and break nothing', async () => {
  const page = await openPage(browser, { service, viewport: NARROW });
  const part = encodeURIComponent;
  const paths = ['/search?kind=contract&q=zzhostile', `/search?kind=contract&q=${part('<script>window.attacked=1</script>')}`];
  for (const record of HOSTILE) {
    paths.push(`/record/contract/${part(record.record_id)}`);
    if (record.vendor_name) paths.push(`/vendor/${part(record.vendor_name)}`);
    if (record.department_en ?? record.department_fr) paths.push(`/department/${part(record.department_en ?? record.department_fr)}`);
  }
  for (const [number, path] of paths.entries()) {
    page.problems.length = 0;
    // Names of 4,000 characters are too long to look for: 404 or 422, never an error of the server.
    const response = await page.goto(`/en${path}`);
    assert.ok(response.status() < 500, `${path.slice(0, 80)}: ${response.status()}`);
    await screenshot(page, `hostile-${number}`);
    assert.equal(await page.evaluate(() => window.attacked), undefined, path);
    const overflow = await page.evaluate(() => document.scrollingElement.scrollWidth - window.innerWidth);
    assert.ok(overflow <= 0, `${path.slice(0, 80)}: ${overflow} px wider than the window`);
    // A link in a drawing has no `protocol` of its own.
    const addresses = await page.locator('main a[href]').evaluateAll((links) => links.map((link) => new URL(link.getAttribute('href'), document.baseURI).protocol));
    assert.deepEqual(addresses.filter((protocol) => !['http:', 'https:'].includes(protocol)), [], path);
    assert.deepEqual(page.problems.filter((problem) => !problem.includes('Failed to load resource')), [], path);
  }
  await page.context().close();
});
