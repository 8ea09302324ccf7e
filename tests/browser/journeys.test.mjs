// What people come for, from the first page to the answer, by what a person sees: labels, links and buttons.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';

import { launch, NARROW, openPage } from './browser.mjs';
import { pagesOf, signIn } from './pages.mjs';
import { startService } from './service.mjs';

let service;
let browser;
let pages;
before(async () => {
  service = await startService();
  pages = await pagesOf(service);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

/** A test with a page of its own, with and without scripts. */
function journey(name, options, walk) {
  for (const javaScriptEnabled of [true, false]) {
    test(`${name}${javaScriptEnabled ? '' : ', without scripts'}`, async () => {
      const page = await openPage(browser, { service, javaScriptEnabled, ...options });
      await walk(page);
      assert.deepEqual(page.problems, []);
      await page.context().close();
    });
  }
}

const link = (page, name, options) => page.getByRole('link', { name, ...options }).first();
const button = (page, name) => page.getByRole('button', { name }).first();
const heading = (page) => page.locator('h1').innerText();
const open = (page, summary) => page.locator('summary', { hasText: summary }).first().click();
const parameter = (page, name) => new URL(page.url()).searchParams.get(name);

journey('a citizen finds who clears the snow of a city, and whether it got dearer', {}, async (page) => {
  await page.goto('/en');
  await page.getByLabel('Search contracts and tenders').fill('déneigement');
  await button(page, 'Search').click();
  assert.match(await page.locator('.lead').innerText(), /^[\d,]+ contracts worth \$[\d.,]+\smillion/);
  await link(page.locator('.search-facets'), 'Ville de Montréal').click();
  assert.equal(await page.locator('.search-chip').count(), 2, 'words and buyer');
  const supplier = page.locator('.search-hits a[href*="/vendor/"]').first();
  const name = await supplier.innerText();
  await supplier.click();
  assert.equal((await heading(page)).toLowerCase(), name.toLowerCase());
  await open(page, 'These figures as a table');
  const years = await page.locator('details[open] table tbody tr').allInnerTexts();
  assert.ok(years.length > 1 && years.every((row) => /\d/.test(row)), years.join('\n'));
});

journey('un journaliste trouve le plus gros contrat et sa source', { viewport: NARROW }, async (page) => {
  await page.goto('/fr');
  await page.locator('#q').fill('travaux');
  await button(page, 'Rechercher').click();
  await link(page, /Valeur décroissante|plus élevée/i).click();
  await page.waitForURL(/sort_by=value/);
  const values = await page.locator('.search-value dd').allInnerTexts();
  const amounts = values.map((text) => Number(text.replace(/[^\d,]/g, '').replace(',', '.'))).filter((amount) => amount > 0);
  assert.ok(amounts.length > 1 && amounts[0] >= amounts.at(-1), values.join('\n'));
  assert.match(values[0], /\s\$$/, 'the dollar sign follows the amount');
  await page.locator('.search-hits h3 a').first().click();
  assert.match(page.url(), /\/fr\/record\/contract\//);
  assert.match(await page.locator('main').innerText(), /Licence|Source/);
});

journey('a search that finds nothing leads on', {}, async (page) => {
  await page.goto('/en/search?kind=contract&q=d%C3%A9neigement&value_min=99999999999');
  assert.match(await page.locator('.lead').innerText(), /^0\s/);
  await page.locator('.search-costs td a').first().click();
  await page.waitForURL((url) => !(url.searchParams.has('q') && url.searchParams.has('value_min')));
  await page.locator('.search-hits > li').first().waitFor();
});

journey('pages of results can be turned, shared and reloaded', {}, async (page) => {
  await page.goto('/en/search?kind=contract&limit=10');
  const titles = () => page.locator('.search-hits > li').allInnerTexts();
  const first = await titles();
  await link(page, 'Next page').click();
  await page.waitForURL(/cursor=/);
  const second = await titles();
  assert.equal(second.length, 10);
  assert.ok(second.every((title) => !first.includes(title)));
  await page.reload();
  assert.deepEqual(await titles(), second);
  await page.goBack();
  assert.deepEqual(await titles(), first);
});

journey('the language changes and the search stays', {}, async (page) => {
  await page.goto(`/en${pages.search}`);
  const hits = await page.locator('.search-hits > li').count();
  await link(page, 'Français').click();
  assert.equal(parameter(page, 'q'), 'déneigement');
  assert.equal(await page.locator('html').getAttribute('lang'), 'fr');
  // A slow machine has only a part of the page yet.
  await page.waitForLoadState();
  assert.equal(await page.locator('.search-hits > li').count(), hits);
});

journey('a condition is added in the form and removed again', {}, async (page) => {
  await page.goto(`/en${pages.search}`);
  const before = await page.locator('.lead').innerText();
  await open(page, 'More conditions');
  await page.getByLabel('Value from, in dollars').fill('50000');
  await button(page, 'Apply conditions').click();
  assert.equal(parameter(page, 'value_min'), '50000');
  assert.notEqual(await page.locator('.lead').innerText(), before);
  await page.getByRole('link', { name: /^Remove condition: From/ }).click();
  assert.equal(await page.locator('.lead').innerText(), before);
});

journey('a search also finds the words of the other language, and says so', {}, async (page) => {
  await page.goto('/en/search?kind=contract&q=snow+removal');
  const both = await page.locator('.lead').innerText();
  assert.match(await page.locator('.search-translation').first().innerText(), /Also searched/);
  await link(page, 'Only my own words').first().click();
  assert.equal(parameter(page, 'translate'), 'false');
  const count = (text) => Number(text.split(' ')[0].replaceAll(',', ''));
  assert.ok(count(await page.locator('.lead').innerText()) < count(both));
  await link(page, 'Search other terms for them, too, in both languages').click();
  assert.equal(await page.locator('.lead').innerText(), both);
});

journey('a misspelled word leads to the right one', {}, async (page) => {
  await page.goto('/fr/search?kind=contract&q=deneigemnt');
  await page.locator('.search-spellings a').first().click();
  await page.locator('.search-hits > li').first().waitFor();
});

journey('an analyst goes down from a group of commodities to a record', {}, async (page) => {
  await page.goto('/en');
  await link(page, 'commodity code').click();
  await page.locator('main table.data tbody th a').first().click();
  assert.match(page.url(), /\/en\/commodity\//);
  await page.locator('.breadcrumbs li').nth(1).waitFor();
  await page.locator('table caption').last().waitFor();
  await link(page, 'Search all records with this code').click();
  await page.locator('.search-hits > li').first().waitFor();
});

journey('two suppliers stand next to each other', {}, async (page) => {
  await page.goto(`/en${pages.vendor}`);
  const other = decodeURIComponent(pages['compare-suppliers'].split('of=')[2]);
  await page.getByLabel(/Compare with/).fill(other);
  await button(page, 'Compare').click();
  assert.match(page.url(), /\/en\/compare\/supplier\?of=.+&of=/);
  assert.equal(await page.locator('table.data').first().locator('thead th').count(), 2);
});

journey('a bid writer follows new tenders and subscribes', {}, async (page) => {
  await signIn(page, service);
  await link(page, 'New tenders').click();
  await page.getByLabel('Words or phrases, separated by commas').fill('travaux, déneigement');
  await page.getByLabel('Published in the last').selectOption('90');
  await button(page, 'Show tenders').click();
  await page.locator('.feed-list > li').first().waitFor();
  await page.getByLabel('E-mail address').fill('bids@example.com');
  await button(page, 'Subscribe').click();
  assert.match(await page.locator('main').innerText(), /Thank you/);
});

journey('a bid writer asks what a tender is worth', {}, async (page) => {
  await signIn(page, service);
  await page.goto(`/en${pages.worth}`);
  assert.match(await page.locator('main').innerText(), /comparable contract/);
});

test('an analyst takes a search away as CSV', async () => {
  const page = await openPage(browser, { service, acceptDownloads: true });
  await page.goto(`/en${pages.search}`);
  const [download] = await Promise.all([page.waitForEvent('download'), link(page, 'CSV').click()]);
  const text = await readFile(await download.path(), 'utf8');
  const [head, ...rows] = text.split('\r\n').filter((row) => row !== '');
  assert.ok(head.startsWith('\uFEFF'), 'spreadsheets recognize UTF-8 by the byte order mark');
  assert.ok(head.includes('record_id') && rows.length > 10, head);
  await page.context().close();
});

journey('a reader sees where the data come from and under which licence', {}, async (page) => {
  await page.goto('/en');
  await link(page, 'Sources').click();
  await page.waitForURL(/\/en\/sources/);
  const licences = page.locator('main a[href^="https://"]');
  assert.ok((await licences.count()) > 3);
});

test('with the keyboard alone: skip the navigation, search, open a record', async () => {
  const page = await openPage(browser, { service });
  await page.goto('/en');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'q');
  await page.keyboard.type('travaux');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/en\/search/);
  const hits = page.locator('.search-hits a').first();
  const title = await hits.innerText();
  for (let tabs = 0; tabs < 200; tabs++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => ({
      text: document.activeElement.innerText,
      outline: getComputedStyle(document.activeElement).outlineStyle,
    }));
    assert.notEqual(focused.outline, 'none', `the focus on '${focused.text}' is not visible`);
    if (focused.text === title) break;
  }
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/en\/record\/contract\//);
  await page.context().close();
});

test('where a key is needed: sign in, come back to the page, sign out', async () => {
  const closed = await startService({ explorer: 'key' });
  const page = await openPage(browser, { service: closed });
  await page.goto('/en/search?kind=tender&q=travaux');
  assert.match(page.url(), /\/en\/account\?next=/);
  await page.getByLabel('API key').fill('pk_wrong');
  await button(page, 'Sign in').click();
  assert.match(await page.locator('main').innerText(), /not valid/);
  await page.getByLabel('API key').fill(closed.key);
  await button(page, 'Sign in').click();
  assert.match(page.url(), /\/en\/search\?kind=tender&q=travaux/);
  const cookies = await page.context().cookies();
  assert.ok(cookies.every((cookie) => cookie.httpOnly && cookie.sameSite === 'Strict'));
  assert.ok(!JSON.stringify(cookies).includes(closed.key));
  await link(page, 'Account').click();
  await button(page, 'Sign out').click();
  await page.goto('/en/search?kind=tender&q=travaux');
  assert.match(page.url(), /\/en\/account\?next=/);
  await page.context().close();
  await closed.stop();
});
