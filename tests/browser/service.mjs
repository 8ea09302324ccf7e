// Starts the program on the sample data, with hostile records added on request, on a free port of this machine.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../..', import.meta.url));
const program = process.env.PROCURE ?? join(project, 'target/debug/procure');

/** Records that try to break a page: markup, scripts, right-to-left marks, endless words, addresses that are no web addresses. */
export const HOSTILE = [
  {
    record_id: 'hostile|1',
    title_en: '<script>window.attacked = 1</script><img src=x onerror="window.attacked = 1">zzhostile',
    vendor_name: '"><svg onload=window.attacked=1>',
    department_en: "'; window.attacked = 1; //",
    description_en: '</title></textarea></script><script>window.attacked = 1</script>',
    source_url: 'javascript:window.attacked=1',
    contract_value: -0.01,
  },
  {
    record_id: 'hostile|2/../..?%2e#',
    title_en: `zzhostile ${'W'.repeat(4000)}`,
    vendor_name: `Vendor ${'x'.repeat(4000)}`,
    department_fr: '\u202eREVERSED\u202c \u2066mixed',
    source_url: 'data:text/html,<script>window.attacked=1</script>',
    contract_value: 1e300,
  },
  { record_id: 'hostile|3', title_fr: 'zzhostile \u0000\u0007 {{ 7*7 }} ${7*7} <%= 7 %>', award_date: '0001-01-01' },
].map((record) => ({ municipality: 'federal', award_date: '2026-01-05', fetched_at: '2026-01-06T00:00:00Z', ...record }));

/** Indexes and serves. `stop()` ends the server and removes its folder. */
export async function startService({ explorer = 'open', hostile = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'procure-browser-'));
  const dumps = join(folder, 'dumps');
  cpSync(join(project, 'data/sample'), dumps, { recursive: true });
  if (hostile) {
    writeFileSync(join(dumps, 'contract/hostile.ndjson'), HOSTILE.map((record) => JSON.stringify(record) + '\n').join(''));
  }
  const plans = join(folder, 'plans.toml');
  const limits = 'requests_per_minute = 4000000\nrequests_per_day = 4000000\n';
  writeFileSync(plans, `[VISITOR]\n${limits}[PRO]\n${limits}`);
  const environment = { ...process.env, PROCURE_INDEX_DIR: join(folder, 'index'), PROCURE_STATE: join(folder, 'state.db') };
  const run = (...args) => {
    const done = spawnSync(program, args, { env: environment, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`procure ${args.join(' ')}: ${done.error ?? done.stderr}`);
    return done.stdout.trim();
  };
  run('index', '--dumps', dumps);
  const key = run('keys', 'create', '--plan', 'PRO', '--label', 'browser').split('\n').at(-1);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = spawn(program, ['serve', '--bind', `127.0.0.1:${port}`, '--explorer', explorer, '--plans', plans], {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  server.stderr.on('data', (data) => (log = (log + data).slice(-20_000)));
  const ended = new Promise((resolve) => server.on('exit', resolve));
  for (let attempt = 0; ; attempt++) {
    const isHealthy = await fetch(`${url}/health`).then((response) => response.ok, () => false);
    if (isHealthy) break;
    if (server.exitCode !== null || attempt === 200) throw new Error(`the server did not start: ${log}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const api = async (path) => {
    const response = await fetch(url + path, { headers: { 'x-gateway-key': key } });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const stop = async () => {
    server.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, key, api, stop, log: () => log };
}

async function freePort() {
  const listener = createServer();
  await new Promise((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address();
  await new Promise((resolve) => listener.close(resolve));
  return port;
}
