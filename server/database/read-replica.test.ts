import { InvalidInputError } from '../kernel/app-error.js';
import { createLogger, silentLogger } from '../kernel/logger.js';
import { insertBulkCalls } from '../test/bulk-calls.js';
import { type TestAccount, TestApp } from '../test/create-test-app.js';
import { databaseUrlOf, describeOnMysql } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { ReplicaPair } from '../test/replica-pair.js';
import { giveSchema } from '../test/schema-template.js';
import { createDataSource } from './data-source.js';
import { parseDatabaseUrl } from './database-address.js';
import { ReadReplica } from './read-replica.js';

const token = 'a-token-for-metrics-of-a-test';
const call = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] };
/** What only the replica says. */
const extraCalls = 1_000_000;
const bulkCount = 600;

describeOnMysql('reports with DATABASE_READ_URL', () => {
  let pair: ReplicaPair;
  let app: TestApp;
  let account: TestAccount;

  beforeAll(async () => {
    pair = await ReplicaPair.start();
    app = await TestApp.start(pair.database, {
      DATABASE_READ_URL: pair.replicaUrl,
      DATABASE_READ_LAG_SECONDS: '3',
      METRICS_TOKEN: token,
    });
    account = await app.createAccount(1_000);
    const source = await createDataSource(pair.database.address, { entities: [], migrations: [] }).initialize();
    const [key] = await app.query(`SELECT id FROM api_key WHERE account_id = '${account.accountId}'`);
    const span = { fromMs: Date.UTC(2026, 4, 1), toMs: Date.UTC(2026, 5, 1) };
    const owner = { accountId: account.accountId, keyId: String(key?.id) };
    await insertBulkCalls(source, { ...owner, count: bulkCount, hasJournal: true, ...span });
    await source.destroy();
    await (await app.call(account.secret, call)).text();
    await app.waitUntilSettled(account.accountId);
    await markReplica();
  }, 180_000);
  afterAll(async () => {
    await app?.close();
    await pair?.stop();
  }, 60_000);

  /** Waits until the replica has everything, and makes it say something else than the primary. */
  async function markReplica(): Promise<void> {
    const count = 'SELECT COUNT(*) AS rows_there FROM call_record';
    await eventually(async () => Number((await pair.onReplica(count))[0]?.rows_there) >= bulkCount + 1, 50);
    const triggers = await pair.onReplica(
      'SELECT trigger_name AS name FROM information_schema.triggers WHERE trigger_schema = DATABASE()',
    );
    for (const { name } of triggers) await pair.onReplica(`DROP TRIGGER ${name}`);
    await pair.onReplica(`UPDATE usage_hour SET calls = calls + ${extraCalls}`);
    await pair.onReplica("UPDATE call_record SET model = 'from-the-replica'");
    await pair.onReplica("UPDATE ledger_transfer SET id = CONCAT('replica-', id)");
  }

  const ask = <Data>(query: string) => app.graphql<Data>(query, {}, account.sessionToken);
  const span = 'from: "2026-05-01T00:00:00Z", to: "2026-06-01T00:00:00Z"';
  const countUse = async () => {
    const report = `{ usage(input: { ${span}, bucket: DAY, groupBy: NONE }) { total { calls } } }`;
    return (await ask<{ usage: { total: { calls: number } } }>(report)).usage.total.calls;
  };
  const isByReplica = async () => (await countUse()) >= extraCalls;
  const waitForReplica = async () => {
    await eventually(isByReplica, 50);
  };
  const waitForPrimary = async () => {
    await eventually(async () => !(await isByReplica()), 50);
  };
  const readMetrics = async () => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${app.baseUrl}/metrics`, { headers })).text();
  };
  const linesOf = (event: string) => app.logLines.filter((line) => line.includes(`"${event}"`));

  it('reads sums of usage and answer times from the replica, and says so', async () => {
    await waitForReplica();
    const { latency } = await ask<{ latency: { calls: number }[] }>(
      `{ latency(input: { ${span}, groupBy: MODEL }) { key calls } }`,
    );
    expect(latency[0]?.calls).toBeGreaterThan(extraCalls);
    expect(await readMetrics()).toMatch(/^tollgate_replica_used 1$/m);
    expect(await readMetrics()).toMatch(/^tollgate_replica_lag_seconds \d/m);
    expect(linesOf('replica_connected').join()).toMatch(/"server":"\d+\.\d+.*"tls":/);
  });

  it('reads the newest calls and lines from the primary, and the pages behind them from the replica', async () => {
    await waitForReplica();
    type Page = { edges: { node: { id: string; model?: string } }[]; pageInfo: { endCursor: string } };
    const listCalls = async (after = '') =>
      (await ask<{ calls: Page }>(`{ calls(first: 2${after}) { edges { node { id model } } pageInfo { endCursor } } }`))
        .calls;
    const newest = await listCalls();
    const next = await listCalls(`, after: "${newest.pageInfo.endCursor}"`);
    expect(newest.edges.map(({ node }) => node.model)).not.toContain('from-the-replica');
    expect(next.edges.map(({ node }) => node.model)).toEqual(['from-the-replica', 'from-the-replica']);

    const listLines = async (after = '') =>
      (
        await ask<{ statement: Page }>(
          `{ statement(first: 2${after}) { edges { node { id } } pageInfo { endCursor } } }`,
        )
      ).statement;
    const lines = await listLines();
    const linesBehind = await listLines(`, after: "${lines.pageInfo.endCursor}"`);
    expect(lines.edges.map(({ node }) => node.id).join()).not.toContain('replica-');
    for (const { node } of linesBehind.edges) expect(node.id).toMatch(/^replica-/);

    // What the replica does not have yet may hide more that it does not have.
    await pair.onReplica(`DELETE FROM call_record WHERE call_id = '${newest.edges.at(-1)?.node.id}'`);
    await pair.onReplica(`DELETE FROM ledger_transfer WHERE id = 'replica-${lines.edges.at(-1)?.node.id}'`);
    const fromPrimary = await listCalls(`, after: "${newest.pageInfo.endCursor}"`);
    expect(fromPrimary.edges.map(({ node }) => node.model)).not.toContain('from-the-replica');
    const linesFromPrimary = await listLines(`, after: "${lines.pageInfo.endCursor}"`);
    expect(linesFromPrimary.edges.map(({ node }) => node.id).join()).not.toContain('replica-');
  });

  it('reads receipts, balances and keys from the primary', async () => {
    const [newest] = await app.query('SELECT call_id FROM call_record ORDER BY call_id DESC LIMIT 1');
    const receipt = await ask<{ call: { model: string; balanceAfter: number } }>(
      `{ call(id: "${newest?.call_id}") { model balanceAfter } }`,
    );
    expect(receipt.call.model).not.toBe('from-the-replica');
    await pair.onReplica('UPDATE ledger_account SET credits_posted = credits_posted + 1000000');
    await pair.onReplica("UPDATE api_key SET name = 'from-the-replica'");
    const { viewer, apiKeys } = await ask<{ viewer: { balance: { available: number } }; apiKeys: { name: string }[] }>(
      '{ viewer { balance { available } } apiKeys { name } }',
    );
    const { posted } = await app.findWallet(account.accountId);
    expect(viewer.balance.available).toBe(posted / 1_000);
    expect(apiKeys[0]?.name).toBe('test');
  });

  it('reads what is behind the first page of an export from the replica', async () => {
    await waitForReplica();
    const headers = { authorization: `Bearer ${account.sessionToken}` };
    const text = await (await fetch(`${app.baseUrl}/export/calls.csv`, { headers })).text();
    const rows = text.trim().split('\r\n').slice(1);
    expect(rows).toHaveLength(bulkCount + 1);
    expect(rows.filter((row) => row.includes('from-the-replica'))).toHaveLength(bulkCount + 1 - 500);
  });

  it('reads from the primary while the replica is behind by more than the bound', async () => {
    await waitForReplica();
    await pair.onReplica('STOP REPLICA SQL_THREAD');
    await waitForPrimary();
    await eventually(async () => (await readMetrics()).includes('tollgate_replica_used 0'), 50);
    expect(linesOf('replica_not_used').join()).toMatch(/"reason":"lagging".*"lagMs":\d{4}/);
    await pair.onReplica('START REPLICA SQL_THREAD');
    await waitForReplica();
    expect(linesOf('replica_used').length).toBeGreaterThan(1);
  }, 120_000);

  it('reads from the primary while the replica is killed, fails nobody, and goes back to it afterwards', async () => {
    await waitForReplica();
    await pair.killReplica();
    for (let time = 0; time < 20; time += 1) expect(await countUse()).toBeLessThan(extraCalls);
    expect(linesOf('replica_not_used').at(-1)).toContain('"reason":"away"');
    expect(Number(/^tollgate_replica_reads_by_primary_total (\d+)$/m.exec(await readMetrics())?.[1])).toBeGreaterThan(
      19,
    );
    await pair.startReplica();
    await waitForReplica();
    expect(await readMetrics()).toMatch(/^tollgate_replica_used 1$/m);
  }, 120_000);
});

describeOnMysql('a replica that is asked', (openTestDatabase) => {
  it('and hangs is left after three seconds; a question that is wrong is not asked again of the primary', async () => {
    const own = await openTestDatabase();
    await giveSchema(own);
    const primary = await createDataSource(own.address, { entities: [], migrations: [] }).initialize();
    const parts = { primary, address: own.address, entities: [], lagMsMax: 600_000, logger: silentLogger };
    const replica = new ReadReplica(parts);
    await replica.start();
    const askPrimary = async () => 'the primary';
    expect(await replica.read(async () => 'the replica', askPrimary)).toBe('the replica');
    expect(await replica.read(async () => null, askPrimary)).toBe('the primary');
    const wrong = new InvalidInputError('to', 'The time must end after it begins.');
    await expect(replica.read(() => Promise.reject(wrong), askPrimary)).rejects.toBe(wrong);
    const hanging = () => new Promise<string>(() => {});
    expect(await replica.read(hanging, askPrimary)).toBe('the primary');
    await replica.close();
    await primary.destroy();
  });
});

describeOnMysql('a replica of a primary whose clock was a month ahead and is right again', (openTestDatabase) => {
  it('answers nothing while it has what was written then, and is measured by the right time from then on', async () => {
    const [own, other] = [await openTestDatabase(), await openTestDatabase()];
    for (const database of [own, other]) await giveSchema(database);
    const primary = await createDataSource(own.address, { entities: [], migrations: [] }).initialize();
    const behind = await createDataSource(other.address, { entities: [], migrations: [] }).initialize();
    for (const source of [primary, behind]) {
      const atMs = Date.now() + 30 * 24 * 60 * 60_000;
      await source.query('DELETE FROM replica_mark');
      await source.query("INSERT INTO replica_mark (id, name, at_ms) VALUES (1, 'ours', ?)", [atMs]);
    }
    const replica = new ReadReplica({
      ...{ primary, address: other.address, entities: [], lagMsMax: 10_000, logger: silentLogger },
    });
    await replica.start();
    const whoAnswers = () =>
      replica.read(
        async () => 'the replica',
        async () => 'the primary',
      );
    expect(await whoAnswers()).toBe('the primary');
    const [mark] = await primary.query('SELECT at_ms FROM replica_mark');
    expect(Math.abs(Number(mark.at_ms) - Date.now())).toBeLessThan(60_000);
    // It goes on, and has come as far as the primary.
    await behind.query('UPDATE replica_mark SET at_ms = ?', [Date.now()]);
    await eventually(async () => (await whoAnswers()) === 'the replica', 20);
    await replica.close();
    for (const source of [primary, behind]) await source.destroy();
  }, 60_000);
});

describeOnMysql('a database that is no replica of the primary', (openTestDatabase) => {
  it.each(['of another installation', 'of nobody yet', 'away'])('%s answers no report', async (which) => {
    const [own, other] = [await openTestDatabase(), await openTestDatabase()];
    for (const database of [own, other]) await giveSchema(database);
    const primary = await createDataSource(own.address, { entities: [], migrations: [] }).initialize();
    const foreign = await createDataSource(other.address, { entities: [], migrations: [] }).initialize();
    if (which === 'of another installation') {
      await foreign.query("INSERT INTO replica_mark VALUES (1, 'another', 9999999999999)");
    }
    const lines: string[] = [];
    const logger = createLogger('info', { destination: { write: (line: string) => lines.push(line) } });
    const url = new URL(databaseUrlOf(other.address));
    if (which === 'away') url.port = '1';
    const parts = { primary, entities: [], lagMsMax: 10_000, logger };
    const replica = new ReadReplica({ ...parts, address: parseDatabaseUrl(url.href) });
    await replica.start();
    const answer = await replica.read(
      async () => 'the replica',
      async () => 'the primary',
    );
    expect(answer).toBe('the primary');
    expect(lines.join('')).toContain(which === 'away' ? '"reason":"away"' : '"reason":"no_replica_of_this_primary"');
    await replica.close();
    for (const source of [primary, foreign]) await source.destroy();
  });
});
