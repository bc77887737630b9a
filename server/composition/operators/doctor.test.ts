import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { loadConfig } from '../../config/config.js';
import { createDataSource } from '../../database/data-source.js';
import { parseDatabaseUrl } from '../../database/database-address.js';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { entities, migrations } from '../../entities.js';
import type { InstanceReport } from '../../instances/instance-report.js';
import { InstanceReporter, listReportedInstances } from '../../instances/instance-reports.js';
import { systemClock } from '../../kernel/clock.js';
import { silentLogger } from '../../kernel/logger.js';
import { databaseUrlOf, describeOnMysql, openSqliteDatabase } from '../../test/each-database.js';
import { eventually } from '../../test/eventually.js';
import { describeOnRedis, PrivateRedis } from '../../test/private-redis.js';
import { runProgram } from '../../test/run-program.js';
import { giveSchema } from '../../test/schema-template.js';
import { TcpProxy } from '../../test/tcp-proxy.js';
import { examine, examineRunning } from './doctor.js';

const production = { NODE_ENV: 'production', TRUST_PROXY: '1', OPENAI_API_KEY: 'sk-abc', SIGNUP_CREDITS: '5' };
const nothingSet = { providers: [], keys: new Map(), off: new Set<string>(), ranks: new Map() };
const noModels = { models: [], unansweredModels: [] };

describe('doctor, of what strangers could make use of', () => {
  let server: Server;
  let answer: object = {};
  let publicUrl: string;

  beforeAll(async () => {
    server = createServer((_, response) => response.end(JSON.stringify(answer)));
    await new Promise<void>((resolve) => server.listen(0, resolve));
    // This machine by an address that does not say so.
    publicUrl = `http://0.0.0.0:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  async function find(signUpMode: 'open' | 'invited' | 'closed', off: readonly string[] = []): Promise<string> {
    const config = loadConfig({ ...production, PUBLIC_URL: publicUrl }, () => null);
    const running = { offered: noModels, overlay: { ...nothingSet, off: new Set(off) }, signUpMode };
    const findings = await examineRunning(config, async () => running);
    return findings.flatMap(({ check, text }) => (check === 'exposure' ? [text] : [])).join('\n');
  }

  it('counts providers as operators have set them, and free credits only where strangers can sign up', async () => {
    const gift = /Each new account gets 5 credits for .*openai/;
    expect(await find('open')).toMatch(gift);
    expect(await find('open', ['openai'])).not.toMatch(gift);
    for (const mode of ['invited', 'closed'] as const) expect(await find(mode)).not.toMatch(gift);
  });

  it('asks at the public address whether a Tollgate answers there', async () => {
    const warning = `No Tollgate answers at ${publicUrl}/healthz`;
    expect(await find('open')).toContain(warning);
    answer = { status: 'ok', database: 'up', ledger: {}, settlements: {} };
    expect(await find('open')).not.toContain(warning);
  });
});

describeOnRedis('doctor, of Redis', () => {
  it.each([
    ['volatile-lru', 'warning'],
    ['noeviction', 'ok'],
  ])('warns where limits could be forgotten: maxmemory-policy %s', async (policy, standing) => {
    const redis = await PrivateRedis.start(['--maxmemory', '3mb', '--maxmemory-policy', policy]);
    const config = loadConfig(
      { ...production, PUBLIC_URL: 'http://localhost', REDIS_URL: redis.url.reveal() },
      () => null,
    );
    const running = {
      offered: noModels,
      overlay: { ...nothingSet, off: new Set<string>() },
      signUpMode: 'open' as const,
    };
    const found = (await examineRunning(config, async () => running)).filter(({ check }) => check === 'redis');
    expect(found).toMatchObject([{ standing }]);
    if (standing === 'warning') expect(found[0]?.text).toContain('volatile-lru');
    await redis.kill();
  });
});

describe('doctor, of the audits of the books', () => {
  const report = (auditFailingSinceMs: number | null): InstanceReport => ({
    ...{ version: '9.9.9', startedAtMs: 1_000, callsRunning: 0, streamsOpen: 0, connections: 0, queuedOperations: 0 },
    lastMinute: {
      ...{ lengthMs: 60_000, calls: 0, failedCalls: 0, refusals: 0, tokens: 0 },
      ...{ commits: 0, operations: 0 },
    },
    leases: { count: 0, leasedMillicredits: 0, reservedMillicredits: 0 },
    ...{ jobs: [], auditFailingSinceMs },
  });

  it('tells how many of the running servers cannot look at the books, and since when', async () => {
    const database = await openSqliteDatabase();
    await giveSchema(database);
    const source = await createDataSource(database.address, { entities, migrations }).initialize();
    const unitOfWork = new UnitOfWork(source);
    const settings = { DATABASE_URL: databaseUrlOf(database.address), SPOOL_DIR: tmpdir() };
    const look = async () => {
      const findings = await examine(loadConfig(settings, () => null));
      return findings.flatMap(({ check, standing, text }) => (check === 'books' ? [`${standing}: ${text}`] : []));
    };
    const begin = async (id: string, auditFailingSinceMs: number | null) => {
      const reporter = new InstanceReporter({ id, unitOfWork, clock: systemClock, logger: silentLogger });
      reporter.start(() => report(auditFailingSinceMs));
      await eventually(async () =>
        (await listReportedInstances(unitOfWork, systemClock.nowMs())).some((instance) => instance.id === id),
      );
      return reporter;
    };
    expect(await look()).toEqual([expect.stringMatching(/^off: No server runs/)]);
    const well = await begin('inst_1', null);
    expect(await look()).toEqual(['ok: servers that audit them: 1']);
    const ill = await begin('inst_2', Date.UTC(2026, 10, 20));
    expect(await look()).toEqual(['warning: 1 of 2 servers cannot audit the books, since 2026-11-20T00:00:00.000Z']);
    await Promise.all([well.close(), ill.close()]);
    await source.destroy();
    await database.drop();
  });
});

describeOnMysql('doctor, where the network swallows what the database is asked', (openTestDatabase) => {
  it('says so of what it could not look at, and ends', async () => {
    const database = await openTestDatabase();
    await giveSchema(database);
    const address = new URL(databaseUrlOf(database.address));
    const network = await TcpProxy.start({ host: address.hostname, port: Number(address.port) });
    address.port = String(network.port);
    // Slow, so that it is among its questions when the network goes.
    network.delayMs = 150;
    setTimeout(() => network.setFault('blackhole'), 4_000);
    const { exitCode, output } = await runProgram('tollgate.js', parseDatabaseUrl(address.href), {
      words: ['doctor', '--json'],
    });
    expect(exitCode).toBe(2);
    const findings: { check: string; standing: string }[] = JSON.parse(output);
    expect(findings.find(({ check }) => check === 'database')).toMatchObject({ standing: 'failed' });
    expect(findings.map(({ check }) => check)).toContain('exposure');
    await network.close();
  }, 90_000);
});
