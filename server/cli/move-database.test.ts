import { join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { createDataSource, openDataSource } from '../database/data-source.js';
import type { DatabaseAddress } from '../database/database-address.js';
import { MoveRefusedError } from '../database/move/move-database.js';
import { Sqlite } from '../database/sqlite-driver.js';
import { entities, migrations } from '../entities.js';
import { insertBulkCalls } from '../test/bulk-calls.js';
import {
  adminUrlOf,
  databaseUrlOf,
  describeOnMysql,
  describeOnOwnMysql,
  openSqliteDatabase,
  type TestDatabase,
} from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { TcpProxy } from '../test/tcp-proxy.js';
import { makeTestFolder } from '../test/test-folder.js';
import { moveInstallation } from './move-database.js';

/** MOVE_CALLS=1000000 for a long run. */
const callCount = Number(process.env.MOVE_CALLS ?? 4_000);

let from: Extract<DatabaseAddress, { kind: 'sqlite' }>;
const lines: string[] = [];
const move = (target: TestDatabase, report: (line: string) => void = (line) => void lines.push(line)) =>
  moveInstallation({ from, secretsKey: null, to: databaseUrlOf(target.address), report });

beforeAll(async () => {
  const file = await openSqliteDatabase();
  const fixture = await LedgerFixture.open(file);
  const { accountId, keyId } = await fixture.createFundedAccount(callCount * 1_000);
  const source = await createDataSource(file.address, { entities, migrations }).initialize();
  const toMs = Date.UTC(2026, 5, 1);
  await insertBulkCalls(source, { accountId, keyId, count: callCount, fromMs: 0, toMs, hasJournal: true });
  // What a careless copy would change: quotes, four-byte characters, trailing spaces, a backslash, a null.
  await source.query('UPDATE account SET name = ?', ["O'Brien \\ „Zoë“ 🦉 \n "]);
  await source.query(
    "INSERT INTO provider_key (id, provider_id, sealed_secret, masked, weight, created_at_ms) VALUES ('pkey_1', 'openai', 'sealed', 'abcd', 1, 1)",
  );
  const folder = makeTestFolder('move');
  await source.query('VACUUM INTO ?', [join(folder, 'tollgate.db')]);
  await source.destroy();
  await fixture.close();
  from = { kind: 'sqlite', file: join(folder, 'tollgate.db') };
}, 1_800_000);

describeOnMysql('an installation that is moved from SQLite to MySQL', (openTestDatabase) => {
  it('has every row there, equal to the millicredit, and a ledger that adds up', async () => {
    const target = await openTestDatabase();
    const { moved, secretsRemedy } = await move(target);
    expect(secretsRemedy).toBe(
      `Set SECRETS_KEY, too, to the text of ${from.file}.secrets-key: it opens what is sealed there, such as keys of providers and authenticator apps.`,
    );
    expect(moved.find(({ table }) => table === 'call_record')?.rowCount).toBe(callCount);
    expect(lines.filter((line) => line.includes(': equal, ')).length).toBe(moved.length);
    const copy = new Sqlite(from.file, { readonly: true });
    const sums = copy
      .prepare('SELECT SUM(credits_posted) AS credits, SUM(debits_posted) AS debits FROM ledger_account')
      .get();
    copy.close();
    const connection = await createConnection(databaseUrlOf(target.address));
    const [rows] = await connection.query<RowDataPacket[]>(
      'SELECT CAST(SUM(credits_posted) AS SIGNED) AS credits, CAST(SUM(debits_posted) AS SIGNED) AS debits FROM ledger_account',
    );
    expect(rows[0]).toEqual(sums);
    expect((await connection.query<RowDataPacket[]>("SHOW TABLES LIKE 'database_move'"))[0]).toEqual([]);
    // No server of the release before runs there, so that calls are let in by leases from the start.
    const [counts] = await connection.query<RowDataPacket[]>('SELECT is_complete FROM key_change_count');
    expect(counts).toEqual([{ is_complete: 1 }]);
    await connection.end();
  }, 1_800_000);

  it('goes on where it was stopped, twice, and copies nothing a second time', async () => {
    const target = await openTestDatabase();
    for (const table of ['ledger_hold', 'ledger_transfer']) await stopWhileCopying(target, table);
    const { moved } = await move(target);
    expect(moved.find(({ table }) => table === 'call_record')?.rowCount).toBe(callCount);
  }, 1_800_000);

  // As a kill would: the connection is gone in the middle of a table.
  async function stopWhileCopying(target: TestDatabase, table: string): Promise<void> {
    const beside = await createConnection(adminUrlOf(target).href);
    await openDataSource(createDataSource(target.address, { entities, migrations })).then((source) => source.destroy());
    const failing = `CREATE TRIGGER stop_here BEFORE INSERT ON ${table} FOR EACH ROW BEGIN
      IF (SELECT COUNT(*) FROM ${table}) >= 500 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'stopped by the test'; END IF; END`;
    await beside.query(failing);
    await expect(move(target)).rejects.toThrow('stopped by the test');
    await beside.query('DROP TRIGGER stop_here');
    await beside.end();
  }

  it('is compared alone where it had come to its end, as after a kill before its last word', async () => {
    const target = await openTestDatabase();
    const { moved } = await move(target);
    const said: string[] = [];
    expect((await move(target, (line) => void said.push(line))).moved).toEqual(moved);
    expect(said.filter((line) => line.includes(' copied'))).toEqual([]);
    const beside = await createConnection(databaseUrlOf(target.address));
    await beside.query("UPDATE account SET name = 'changed since'");
    // A server may be at work there: nobody is told to empty it.
    await expect(move(target)).rejects.toThrow(/^account differs.*was written to since. Nothing was changed/s);
    await beside.end();
  }, 1_800_000);

  it('is refused while somebody has the file open, however idle', async () => {
    const other = new Sqlite(from.file);
    other.prepare('SELECT COUNT(*) FROM account').get();
    await expect(move(await openTestDatabase())).rejects.toThrow(/is in use\. Stop the server/);
    other.close();
  }, 60_000);

  it('is refused where the target already holds something', async () => {
    const target = await openTestDatabase();
    const fixture = await LedgerFixture.open(target);
    await fixture.createFundedAccount(1);
    await expect(move(target)).rejects.toThrow(MoveRefusedError);
    await fixture.close();
  }, 60_000);

  it('notices a row that was changed on the way', async () => {
    const target = await openTestDatabase();
    const beside = await createConnection(adminUrlOf(target).href);
    await openDataSource(createDataSource(target.address, { entities, migrations })).then((source) => source.destroy());
    await beside.query("CREATE TRIGGER change_it BEFORE INSERT ON account FOR EACH ROW SET NEW.name = 'somebody else'");
    await expect(move(target)).rejects.toThrow(/^account differs/);
    await beside.end();
  }, 60_000);

  it('fails where the connection is lost while rows are compared, and goes on when it is begun again', async () => {
    const target = await openTestDatabase();
    const address = new URL(databaseUrlOf(target.address));
    const network = await TcpProxy.start({ host: address.hostname, port: Number(address.port) });
    address.port = String(network.port);
    const report = (line: string) => void (line.startsWith('account: equal') && network.setFault('down'));
    const parts = { from, secretsKey: null, to: address.href };
    await expect(moveInstallation({ ...parts, report })).rejects.toThrow(/^--to: Connection lost.*Start the database/);
    network.setFault('none');
    const { moved } = await moveInstallation({ ...parts, report: () => {} });
    expect(moved.find(({ table }) => table === 'call_record')?.rowCount).toBe(callCount);
    await network.close();
  }, 120_000);

  it('names --to, and not the file, where the target is at fault', async () => {
    const parts = { from, secretsKey: null, report: () => {} };
    const moveTo = (to: string) => moveInstallation({ ...parts, to });
    await expect(moveTo('mysql://user@host:0/name?ssl-mode=ON')).rejects.toThrow(/^--to .*\n--to .*ssl-mode/);
    await expect(moveTo('mysql://user:word@127.0.0.1:1/name')).rejects.toThrow(/^--to: .*ECONNREFUSED/);
    const target = await openTestDatabase();
    const beside = await createConnection(adminUrlOf(target).href);
    await openDataSource(createDataSource(target.address, { entities, migrations })).then((source) => source.destroy());
    // Refused in the middle of the copy, by the server and not by a statement of ours.
    await beside.query(
      "CREATE TRIGGER refuse_it BEFORE INSERT ON account FOR EACH ROW SIGNAL SQLSTATE 'HY000' SET MESSAGE_TEXT = 'The table is full', MYSQL_ERRNO = 1114",
    );
    await expect(move(target)).rejects.toThrow(/^--to: .*The table is full.*Look at the log of the database/);
    await beside.end();
  }, 60_000);
});

describeOnOwnMysql('an installation that is moved to a server with settings of its own', (openTestDatabase) => {
  it('comes to its end on a server that ends idle connections, also where its words are not read for a while', async () => {
    const target = await openTestDatabase();
    const beside = await createConnection(adminUrlOf(target).href);
    await beside.query('SET GLOBAL wait_timeout = 1');
    let hasStood = false;
    // As while many rows of the file are read, which keeps the loop, too.
    const stand = (line: string) => {
      if (!line.startsWith('account: equal')) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
      hasStood = true;
    };
    const { moved } = await move(target, stand);
    expect(moved.find(({ table }) => table === 'call_record')?.rowCount).toBe(callCount);
    expect(hasStood).toBe(true);
    await beside.end();
  }, 120_000);
});
