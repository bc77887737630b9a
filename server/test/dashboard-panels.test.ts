import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LedgerAuditor } from '../ledger/checks/ledger-auditor.js';
import { findRepositoryRoot } from './architecture/source-tree.js';
import { type TestAccount, TestApp } from './create-test-app.js';
import { openSqliteDatabase } from './each-database.js';
import { FakeUpstream } from './fake-upstream.js';
import { PrivateRedis } from './private-redis.js';
import { findFreePort } from './redis-process.js';
import { makeTestFolder } from './test-folder.js';
import { TraceCollector } from './trace-collector.js';
import { stretched } from './wait-factor.js';

const [prometheus, redisServer] = ['prometheus', 'redis-server'].map(
  (program) => spawnSync(program, ['--version']).status === 0,
);
const token = 'a-token-of-the-operator';
const timeoutMs = stretched(60_000);

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

interface Answer {
  readonly status: string;
  readonly data?: { readonly result: readonly { readonly value: readonly [number, string] }[] };
}

/** A Prometheus that scrapes one server each second. */
class OwnPrometheus {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    private readonly url: string,
  ) {}

  static async start(target: string): Promise<OwnPrometheus> {
    const folder = makeTestFolder('prometheus');
    const job = {
      job_name: 'tollgate',
      authorization: { credentials: token },
      static_configs: [{ targets: [target] }],
    };
    const settings = { global: { scrape_interval: '1s', scrape_timeout: '1s' }, scrape_configs: [job] };
    // JSON is YAML, too.
    writeFileSync(join(folder, 'prometheus.yaml'), JSON.stringify(settings));
    const address = `127.0.0.1:${await findFreePort()}`;
    const words = [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
    ];
    return new OwnPrometheus(spawn('prometheus', words, { stdio: 'ignore' }), folder, `http://${address}`);
  }

  /** @returns its figures now; none while Prometheus is starting. @throws for a query that it does not understand. */
  async ask(query: string): Promise<readonly number[]> {
    const response = await fetch(`${this.url}/api/v1/query?query=${encodeURIComponent(query)}`).catch(() => null);
    if (response === null || response.status === 503) return [];
    const { status, data } = (await response.json()) as Answer;
    if (status !== 'success') throw new Error(`Prometheus does not understand: ${query}`);
    return (data?.result ?? []).map(({ value }) => Number(value[1]));
  }

  async close(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Every query of the dashboard, without what Grafana fills in and without what stands in for figures that are missing. */
function listQueries(): string[] {
  const file = join(findRepositoryRoot(import.meta.dirname), 'deploy/grafana/tollgate.json');
  const { panels } = JSON.parse(readFileSync(file, 'utf8')) as { panels: readonly Panel[] };
  return panels.flatMap(({ targets }) =>
    targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m').replace(/ or vector\(0\)$/, '')),
  );
}

/** An answer, a stream, a refusal, an answer of the second provider after the first one failed, and a mail. */
async function makeTraffic(app: TestApp, { secret }: TestAccount): Promise<void> {
  const ask = (content: string, more = {}) =>
    app
      .call(secret, { model: 'gpt-4o-mini', messages: [{ role: 'user', content }], ...more })
      .then((answer) => answer.text());
  await Promise.all([
    ask('Hello'),
    ask('@@tokens=20 @@delay=2', { stream: true }),
    ask('Hello', { model: 'none-of-ours' }),
    ask('@@status=500'),
    app.createAccount(0),
  ]);
}

describe('The dashboard of Grafana', () => {
  it(prometheus
    ? 'finds figures for every query of every panel on a server with traffic, by a Prometheus that scrapes it'
    : 'finds figures for every query (not tried: prometheus is missing, apt-get install prometheus)', async () => {
    if (!prometheus) return;
    // The first audit is due after a minute; this one is due at once.
    const { start } = LedgerAuditor.prototype;
    LedgerAuditor.prototype.start = function soon(_, restMs) {
      start.call(this, 100, restMs);
    };
    const collector = await TraceCollector.start();
    const redis = redisServer ? await PrivateRedis.start() : null;
    const second = await FakeUpstream.start();
    second.ignoresVerbs = true;
    const app = await TestApp.start(await openSqliteDatabase(), {
      METRICS_TOKEN: token,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      ...(redis && { REDIS_URL: redis.url.reveal() }),
      OPENROUTER_API_KEY: 'sk-second-canary-0123456789',
      OPENROUTER_BASE_URL: second.baseUrl,
    });
    LedgerAuditor.prototype.start = start;
    const scraper = await OwnPrometheus.start(new URL(app.baseUrl).host);
    try {
      const account = await app.createAccount();
      let empty = listQueries().filter((query) => redis !== null || !query.includes('tollgate_redis'));
      expect(empty.length).toBeGreaterThan(30);
      for (const endMs = Date.now() + timeoutMs; empty.length > 0 && Date.now() < endMs; await sleep(200)) {
        await makeTraffic(app, account);
        const found = await Promise.all(empty.map((query) => scraper.ask(query)));
        empty = empty.filter((_, index) => !found[index]?.some(Number.isFinite));
      }
      expect(empty).toEqual([]);
    } finally {
      await scraper.close();
      await app.close();
      await collector.close();
      await second.close();
      await redis?.kill();
    }
  }, 120_000);
});
