// A headless Chromium, and a page that fails the test on console errors and on requests to another host.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const screenshots = fileURLToPath(new URL('../../target/screenshots', import.meta.url));
mkdirSync(screenshots, { recursive: true });

export const WIDE = { width: 1280, height: 900 };
export const NARROW = { width: 380, height: 844 };

export function launch() {
  return chromium.launch({
    executablePath: process.env.PROCURE_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--force-prefers-reduced-motion'],
  });
}

/** A page in a context of its own. `page.problems` lists console errors and requests to other hosts. */
export async function openPage(browser, { service, viewport = WIDE, ...options } = {}) {
  const context = await browser.newContext({ viewport, baseURL: service.url, ...options });
  // Axe is put into the page by the protocol, which the page's own policy does not allow to scripts.
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.problems = [];
  page.bytes = 0;
  page.on('console', (message) => message.type() === 'error' && page.problems.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => page.problems.push(`script: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(service.url) && !url.startsWith('data:')) page.problems.push(`request to ${url}`);
  });
  page.on('requestfinished', async (request) => {
    const sizes = await request.sizes().catch(() => null);
    if (sizes) page.bytes += sizes.responseBodySize + sizes.responseHeadersSize;
  });
  return page;
}

export function screenshot(page, name, options = {}) {
  return page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true, ...options });
}
