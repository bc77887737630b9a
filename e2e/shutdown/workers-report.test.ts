import { Agent } from 'node:http';
import { describeOnMysql } from '../../server/test/each-database.js';
import { eventually } from '../../server/test/eventually.js';
import { CrashSite } from '../crash/crash-site.js';
import { makeCall } from '../crash/make-call.js';
import { findFreePort } from '../support/free-port.js';

const token = 'a-token-of-the-operator';
const calls = 20;

describeOnMysql('what a server of three workers says about itself', (openTestDatabase) => {
  let site: CrashSite;
  let metricsPort = 0;
  const listPids = (event: string): number[] =>
    site.stack.log.filter((line) => line.event === event).map(({ pid }) => Number(pid));
  // A connection of its own each time, so that each goes to whichever worker comes next.
  const ask = async (path: string) => {
    const headers = { authorization: `Bearer ${token}`, connection: 'close' };
    const response = await fetch(`${site.stack.baseUrl}${path}`, { headers });
    return { status: response.status, text: await response.text() };
  };
  const readMetrics = async () => {
    const { text } = await ask('/metrics');
    return new Map(
      text
        .split('\n')
        .filter((line) => line.startsWith('tollgate_'))
        .map((line) => line.split(' ') as [string, string]),
    );
  };

  beforeAll(async () => {
    const { address } = await openTestDatabase();
    metricsPort = await findFreePort();
    const settings = {
      WORKERS: '3',
      REQUESTS_PER_MINUTE: '1000',
      METRICS_TOKEN: token,
      METRICS_PORT: String(metricsPort),
    };
    site = await CrashSite.open(address, { customers: 1, settings });
    const [customer] = site.customers;
    for (let call = 0; call < calls; call += 1) {
      const agent = new Agent({ keepAlive: false });
      const wanted = { model: 'gpt-4o-mini', isStreamed: false, tokens: 1, delayMs: 1, leaveAfterBytes: null } as const;
      await makeCall({ baseUrl: site.stack.baseUrl, apiKey: String(customer?.apiKey), agent }, wanted);
    }
  }, 120_000);
  afterAll(() => site.close().catch(() => site.kill()));

  it('whichever worker is asked, its figures are those of all, and so is its health', async () => {
    expect(new Set(listPids('call_completed')).size).toBe(3);
    for (let scrape = 0; scrape < 6; scrape += 1) {
      const metrics = await readMetrics();
      expect(metrics.get('tollgate_ledger_settlements_total')).toBe(String(calls));
      expect(metrics.get('tollgate_ledger_open_holds')).toBe('0');
      expect(metrics.get('tollgate_ledger_settlement_room_ready')).toBe('1');
      expect(metrics.get('tollgate_workers')).toBe('3');
      expect(metrics.get('tollgate_workers_answering')).toBe('3');
      const health = await ask('/healthz');
      expect(health.status).toBe(200);
      expect(JSON.parse(health.text)).toMatchObject({ status: 'ok', workers: { wanted: 3, answering: 3 } });
    }
  }, 60_000);

  it('adds up what has labels, and serves the same on a port of its own, which the workers share', async () => {
    const url = `http://127.0.0.1:${metricsPort}/metrics`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}`, connection: 'close' } });
    const text = await response.text();
    expect(text).toMatch(new RegExp(`^tollgate_requests_total\\{route="chat",status="200"\\} ${calls}$`, 'm'));
    expect(text).toMatch(new RegExp(`^tollgate_call_duration_seconds_count\\{.*\\} ${calls}$`, 'm'));
    expect(text.match(/^tollgate_build_info\{.*\} 1$/gm)?.length).toBe(1);
  });

  it('one that stands still, and one that was killed, are left out and said so, and no counter falls', async () => {
    const [still, killed] = listPids('worker_listening') as [number, number];
    process.kill(still, 'SIGSTOP');
    try {
      let metrics = await readMetricsWithin();
      expect(metrics.get('tollgate_workers_answering')).toBe('2');
      expect(metrics.get('tollgate_ledger_settlements_total')).toBe(String(calls));
      const health = await askWithin('/healthz');
      expect(JSON.parse(health.text)).toMatchObject({ status: 'degraded', workers: { wanted: 3, answering: 2 } });
      process.kill(killed, 'SIGKILL');
      await eventually(() => listPids('worker_died').includes(killed));
      metrics = await readMetricsWithin();
      expect(metrics.get('tollgate_ledger_settlements_total')).toBe(String(calls));
    } finally {
      process.kill(still, 'SIGCONT');
    }
    await eventually(async () => (await readMetrics()).get('tollgate_workers_answering') === '3', 100);
    expect((await readMetrics()).get('tollgate_ledger_settlements_total')).toBe(String(calls));
  }, 60_000);

  // The one that stands still is handed connections as well; whoever meets it asks again.
  async function askWithin(path: string): Promise<{ status: number; text: string }> {
    for (;;) {
      const headers = { authorization: `Bearer ${token}`, connection: 'close' };
      try {
        const signal = AbortSignal.timeout(8_000);
        const response = await fetch(`${site.stack.baseUrl}${path}`, { headers, signal });
        return { status: response.status, text: await response.text() };
      } catch {}
    }
  }

  async function readMetricsWithin() {
    const { text } = await askWithin('/metrics');
    const lines = text.split('\n').filter((line) => line.startsWith('tollgate_'));
    return new Map(lines.map((line) => line.split(' ') as [string, string]));
  }
});
