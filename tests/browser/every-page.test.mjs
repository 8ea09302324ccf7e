// What must hold for every page, in both languages and at both widths: accessible, light, quiet, self-contained.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { launch, NARROW, openPage, screenshot, WIDE } from './browser.mjs';
import { pagesOf, signIn } from './pages.mjs';
import { startService } from './service.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const MAX_BYTES = 60_000;
/** The pictures in the documentation. They are written again where PROCURE_UPDATE_IMAGES is set. */
const IMAGES = {
  'search-translated-en-wide': 'search-en.png',
  'vendor-en-wide': 'vendor-en.png',
  'solicitation-whole-en-wide': 'solicitation-en.png',
  'search-narrow-en-wide': 'no-matches-en.png',
  'department-fr-wide': 'department-fr.png',
};
/** Pages that rightly answer with an error status. */
const STATUS = { 'search-wrong': 422 };

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

/** What is wrong with the page that was opened. */
async function problemsOf(page, response, status, language) {
  const problems = page.problems.filter((problem) => status === 200 || !problem.includes('Failed to load resource'));
  const expect = (actual, expected, what) => actual === expected || problems.push(`${what} is ${actual} instead of ${expected}`);
  expect(response.status(), status, 'the status');
  expect(await page.locator('html').getAttribute('lang'), language, 'the language');
  expect(await page.locator('h1').count(), 1, 'the number of h1');
  const overflow = await page.evaluate(() => document.scrollingElement.scrollWidth - window.innerWidth);
  if (overflow > 0) problems.push(`${overflow} px wider than the window`);
  problems.push(...(await page.evaluate(unreadable)));
  await page.evaluate(AXE);
  const { violations } = await page.evaluate((runOnly) => axe.run(document, { runOnly }), RULES);
  for (const { id, help, nodes } of violations) {
    problems.push(`${id}: ${help}: ${nodes.map((node) => node.html.slice(0, 300)).join(' ')}`);
  }
  return problems;
}

/** Runs in the page: what of amounts, dates and heads of columns is cut off or broken within a word or a number. */
function unreadable() {
  const problems = [];
  for (const box of document.querySelectorAll('.table-scroll')) {
    if (box.scrollWidth > box.clientWidth + 1) problems.push(`a table is cut: ${box.innerText.trim().slice(0, 60)}`);
  }
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (!text.parentElement.closest('td, th, .search-facts, .feed-facts, .facts')) continue;
    if (text.parentElement.closest('svg, .visually-hidden, details:not([open])')) continue;
    // A word, an amount or a day with its month; addresses and longer ones, such as identifiers, may be broken.
    const words = text.data.replace(/\S*\/\S*/g, (address) => ' '.repeat(address.length));
    for (const { 0: word, index } of words.matchAll(/[\p{L}\p{N}$][\p{L}\p{N}.,\u00a0\u202f$%]*/gu)) {
      if (word.length > 24) continue;
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) problems.push(`broken: ${word}`);
      if (range.getBoundingClientRect().right > window.innerWidth + 1) problems.push(`outside of the window: ${word}`);
    }
  }
  return [...new Set(problems)].slice(0, 10);
}

// Two at a time: one waits for the server while the other draws.
describe('every page', { concurrency: 2 }, () => {
  for (const language of ['en', 'fr']) {
    for (const [width, viewport] of [['wide', WIDE], ['narrow', NARROW]]) {
      test(`${language}, ${width}: every page is accessible and fits`, async () => {
        const page = await openPage(browser, { service, viewport });
        await signIn(page, service, language);
        const wrong = [];
        for (const [name, path] of Object.entries(pages)) {
          page.problems.length = 0;
          const response = await page.goto(`/${language}${path}`);
          await screenshot(page, `${name}-${language}-${width}`);
          const image = IMAGES[`${name}-${language}-${width}`];
          if (image && process.env.PROCURE_UPDATE_IMAGES) {
            await page.screenshot({ path: fileURLToPath(new URL(`../../docs/images/${image}`, import.meta.url)) });
          }
          const found = await problemsOf(page, response, STATUS[name] ?? 200, language);
          wrong.push(...found.map((problem) => `${name}: ${problem}`));
        }
        assert.deepEqual(wrong, []);
        await page.context().close();
      });
    }
  }

  test('a first visit of any page takes at most 60 kB with everything', async () => {
    for (const language of ['en', 'fr']) {
      for (const [name, path] of Object.entries(pages)) {
        const page = await openPage(browser, { service });
        const signedIn = name === 'worth' || name === 'feed';
        if (signedIn) await signIn(page, service, language);
        // Nothing of another page may be in the cache.
        const session = await page.context().newCDPSession(page);
        await session.send('Network.setCacheDisabled', { cacheDisabled: true });
        page.bytes = 0;
        await page.goto(`/${language}${path}`, { waitUntil: 'networkidle' });
        assert.ok(page.bytes > 0 && page.bytes <= MAX_BYTES, `${name} ${language}: ${page.bytes} bytes`);
        await page.context().close();
      }
    }
  });

  test('every page says the same without scripts', async () => {
    const texts = async (javaScriptEnabled) => {
      const page = await openPage(browser, { service, javaScriptEnabled });
      await signIn(page, service);
      const found = {};
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(`/en${path}`);
        // What is left of the plan falls with each page.
        if (name === 'account') continue;
        found[name] = await page.locator('main h1, main table, main dl').allInnerTexts();
      }
      await page.context().close();
      return found;
    };
    assert.deepEqual(await texts(false), await texts(true));
  });

  test('every page has its policy, and links to itself in the other language', async () => {
    const page = await openPage(browser, { service });
    await signIn(page, service);
    for (const [name, path] of Object.entries(pages)) {
      const response = await page.goto(`/en${path}`);
      const headers = response.headers();
      const policy = headers['content-security-policy'] ?? '';
      for (const part of ["default-src 'none'", "frame-ancestors 'none'", "script-src 'self'"]) {
        assert.ok(policy.includes(part), `${name}: ${policy}`);
      }
      assert.ok(!policy.includes('unsafe'), `${name}: ${policy}`);
      assert.ok(headers['referrer-policy'], name);
      const other = await page.locator('a[hreflang="fr"]').first().getAttribute('href');
      const french = await page.goto(other);
      assert.equal(french.status(), STATUS[name] ?? 200, `${name}: ${other}`);
      assert.equal(await page.locator('html').getAttribute('lang'), 'fr');
    }
    await page.context().close();
  });

  test('dark, printed and magnified pages, for eyes to look at', async () => {
    const page = await openPage(browser, { service, colorScheme: 'dark' });
    await signIn(page, service);
    for (const name of ['home', 'search', 'record', 'department', 'worth']) {
      await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
      await page.goto(`/en${pages[name]}`);
      await screenshot(page, `${name}-dark`);
      await page.evaluate(AXE);
      const { violations } = await page.evaluate(() => axe.run(document, { runOnly: { type: 'rule', values: ['color-contrast'] } }));
      assert.deepEqual(violations.flatMap(({ nodes }) => nodes.map((node) => node.html)), [], `${name} in dark colours`);
      await page.emulateMedia({ media: 'print', colorScheme: 'light' });
      assert.equal(await page.locator('.site-nav').isVisible(), false, 'no navigation on paper');
      await screenshot(page, `${name}-print`);
    }
    await page.context().close();
  });
});
