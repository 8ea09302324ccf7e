// The box that suggests what its words may mean: by keyboard, by mouse, for those who hear the page, and without scripts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';

import { launch, NARROW, openPage, screenshot, WIDE } from './browser.mjs';
import { startService } from './service.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const WORDS = 'ville de mont';

let service;
let browser;
before(async () => {
  service = await startService();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

/** The list under the box; `kind` on the home page has options too. */
const options = (page) => page.locator('.suggestions [role=option]');

/** How many records a suggestion leads to: "Buyer · 57 contracts; 90 records of all types". */
const stated = (about) => about.split(' · ')[1].split(';')[0];

/** Types into the box and waits for suggestions. */
async function typed(page, words) {
  const box = page.getByRole('combobox', { name: /search/i }).first();
  await box.fill(words);
  await options(page).first().waitFor();
  return box;
}

for (const path of ['/en', '/en/search?kind=contract']) {
  for (const viewport of [WIDE, NARROW]) {
    test(`${path} at ${viewport.width}: the keyboard chooses, and the link finds what it says`, async () => {
      const page = await openPage(browser, { service, viewport });
      await page.goto(path);
      const box = await typed(page, WORDS);
      assert.equal(await box.getAttribute('aria-expanded'), 'true');
      assert.match(await page.locator('p[role=status].visually-hidden').innerText(), /suggestion/);
      await page.evaluate(AXE);
      const { violations } = await page.evaluate((runOnly) => axe.run(document, { runOnly }), RULES);
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html)}`), []);
      const overflow = await page.evaluate(() => document.scrollingElement.scrollWidth - window.innerWidth);
      assert.ok(overflow <= 0, `${overflow} px wider than the window`);
      await screenshot(page, `suggestions-${path.length > 3 ? 'search' : 'home'}-${viewport.width}`, { fullPage: false });
      assert.equal(await box.getAttribute('aria-activedescendant'), null, 'nothing is chosen by itself');
      await page.keyboard.press('ArrowDown');
      const chosen = page.locator(`#${await box.getAttribute('aria-activedescendant')}`);
      assert.equal(await chosen.getAttribute('aria-selected'), 'true');
      const count = stated(await chosen.locator('small').innerText());
      await page.keyboard.press('Enter');
      await page.waitForURL(/(body|supplier|municipality|commodity)=/);
      const lead = await page.locator('.lead').innerText();
      assert.ok(lead.startsWith(count), `${count}: ${lead}`);
      assert.deepEqual(page.problems, []);
      await page.context().close();
    });
  }
}

test('Escape closes, the arrows go round, a click follows, and Enter alone searches for the words', async () => {
  const page = await openPage(browser, { service });
  await page.goto('/fr');
  const box = page.locator('#q');
  await box.fill(WORDS);
  await options(page).first().waitFor();
  const all = await options(page).count();
  await page.keyboard.press('ArrowUp');
  assert.equal(await box.getAttribute('aria-activedescendant'), `suggestion-${all - 1}`);
  await page.keyboard.press('ArrowDown');
  assert.equal(await box.getAttribute('aria-activedescendant'), null, 'back in the box');
  await page.keyboard.press('Escape');
  assert.equal(await options(page).count(), 0);
  assert.equal(await box.inputValue(), WORDS, 'the words stay');
  await box.fill(`${WORDS}r`);
  await options(page).first().click();
  await page.waitForURL(/\/fr\/search\?kind=/);
  await page.goto('/fr');
  await box.fill(WORDS);
  await options(page).first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/[?&]q=ville/);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('without scripts the results say what the words may mean', async () => {
  const page = await openPage(browser, { service, javaScriptEnabled: false });
  await page.goto('/en');
  await page.getByLabel('Search contracts and tenders').fill('Ville de Montréal');
  await page.getByRole('button', { name: 'Search' }).first().click();
  const meaning = page.locator('.search-meanings li').first();
  const count = stated(await meaning.locator('small').innerText());
  await screenshot(page, 'meanings', { fullPage: false });
  await meaning.getByRole('link').first().click();
  const lead = await page.locator('.lead').innerText();
  assert.ok(lead.startsWith(count), `${count}: ${lead}`);
  await page.context().close();
});
