import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type Connection, createConnection } from 'mysql2/promise';
import { explainStartFailure } from '../composition/explain-start-failure.js';
import { createDataSource, openDataSource } from '../database/data-source.js';
import { entities, migrations } from '../entities.js';
import { Secret } from '../kernel/secret.js';
import { listBroken, verifyLedger } from '../ledger/checks/verify-ledger.js';
import { TestApp } from '../test/create-test-app.js';
import {
  adminUrlOf,
  databaseUrlOf,
  describeOnOwnMysql,
  hasCertificate,
  type TestDatabase,
} from '../test/each-database.js';
import { eventually } from '../test/eventually.js';

type Variables = Readonly<Record<string, string | number>>;

/** What a server has when nobody set it up for Tollgate, several at once; `0` and `1` are OFF and ON. */
const servers: readonly { readonly name: string; readonly set: Variables; readonly onlyOn?: 'MySQL' | 'MariaDB' }[] = [
  {
    name: 'empty sql_mode, SERIALIZABLE, western clock, latin1, keys and foreign keys unchecked',
    set: {
      sql_mode: "''",
      transaction_isolation: "'SERIALIZABLE'",
      time_zone: "'-11:00'",
      character_set_server: 'latin1',
      foreign_key_checks: 0,
      unique_checks: 0,
    },
  },
  {
    name: 'ANSI sql_mode, READ UNCOMMITTED, eastern clock, autocommit off, MyISAM by default',
    set: {
      sql_mode: "'ANSI'",
      transaction_isolation: "'READ-UNCOMMITTED'",
      time_zone: "'+13:00'",
      collation_server: 'utf8mb4_bin',
      autocommit: 0,
      default_storage_engine: 'MyISAM',
    },
  },
  {
    name: 'NO_BACKSLASH_ESCAPES, chained commits, safe updates, answers of one row, commits by the server',
    set: {
      sql_mode: "'NO_BACKSLASH_ESCAPES,ANSI_QUOTES'",
      completion_type: "'CHAIN'",
      sql_safe_updates: 1,
      sql_select_limit: 1,
      innodb_strict_mode: 0,
      event_scheduler: 1,
    },
  },
  {
    name: 'TRADITIONAL sql_mode, read-only transactions, small packets, times in whole seconds of another zone',
    set: {
      sql_mode: "'TRADITIONAL'",
      transaction_read_only: 1,
      max_allowed_packet: 1024 ** 2,
      time_zone: "'+05:30'",
      innodb_lock_wait_timeout: 1,
    },
  },
  {
    name: 'joins of one row at most, short sorts, no decimals, and a time limit on statements',
    set: {
      max_join_size: 1,
      sql_big_selects: 0,
      sql_auto_is_null: 1,
      max_sort_length: 64,
      div_precision_increment: 0,
      group_concat_max_len: 4,
      lc_time_names: "'ja_JP'",
      lock_wait_timeout: 1,
      net_read_timeout: 1,
      net_write_timeout: 1,
    },
  },
  // Of which each takes its least: 1 KiB or 32 KiB.
  { name: 'buffers for sorting as small as may be', set: { sort_buffer_size: 1 } },
  { name: 'every text in latin1', set: { init_connect: "'SET NAMES latin1'", character_set_server: 'latin1' } },
  { name: 'SELECTs of a millisecond at most', onlyOn: 'MySQL', set: { max_execution_time: 1 } },
  {
    name: 'statements of a millisecond and idle transactions of a second at most, small tables for sorting, and DROP IF EXISTS',
    onlyOn: 'MariaDB',
    set: {
      max_statement_time: 0.001,
      idle_transaction_timeout: 1,
      idle_readonly_transaction_timeout: 1,
      idle_write_transaction_timeout: 1,
      tmp_disk_table_size: 1_024,
      sql_if_exists: 1,
    },
  },
  {
    name: 'primary keys required',
    onlyOn: 'MySQL',
    set: { sql_require_primary_key: 1, sql_generate_invisible_primary_key: 1 },
  },
  { name: 'the collation of MySQL 8', onlyOn: 'MySQL', set: { collation_server: 'utf8mb4_0900_ai_ci' } },
  { name: 'half a megabyte of memory for a session', onlyOn: 'MariaDB', set: { max_session_mem_used: 524_288 } },
  { name: 'no change of the schema that copies a table', onlyOn: 'MariaDB', set: { alter_algorithm: "'INSTANT'" } },
  {
    name: 'primary keys forced and CHECK unchecked',
    onlyOn: 'MariaDB',
    set: { innodb_force_primary_key: 1, check_constraint_checks: 0 },
  },
];

const product = process.env.TEST_MYSQL_PRODUCT ?? 'MariaDB';
/** MariaDB 10 has older names for two of them. */
const olderNames: Readonly<Record<string, string>> = {
  transaction_isolation: 'tx_isolation',
  transaction_read_only: 'tx_read_only',
};

/** Sets variables of a server that this suite alone uses, for the sessions that begin from now on. @returns what undoes it. */
async function setGlobals(admin: Connection, variables: Variables): Promise<() => Promise<void>> {
  const [rows] = await admin.query("SHOW GLOBAL VARIABLES LIKE 'transaction_isolation'");
  const hasNewNames = (rows as unknown[]).length > 0;
  const names = Object.keys(variables).map((name) => (hasNewNames ? name : (olderNames[name] ?? name)));
  for (const [index, value] of Object.values(variables).entries()) {
    await admin.query(`SET GLOBAL ${names[index]} = ${value}`);
  }
  return async () => {
    for (const name of names) await admin.query(`SET GLOBAL ${name} = DEFAULT`);
  };
}

/** Migrates, sells credits, and bills a plain and a streamed call; then recomputes the books. */
async function sellAndBill(database: TestDatabase, pause: () => Promise<unknown> = async () => {}): Promise<void> {
  const source = await openDataSource(createDataSource(database.address, { entities, migrations }));
  await source.destroy();
  // The suite drops it when the server is as it was.
  const app = await TestApp.startBeside(database);
  try {
    await signUpAndReport(app);
    const { accountId, secret } = await app.createAccount(5);
    for (const stream of [false, true]) {
      await pause();
      const messages = [{ role: 'user', content: 'O\'Brien \\ says "hi" 🦉' }];
      const answer = await app.call(secret, { model: 'gpt-4o-mini', messages, stream });
      expect([answer.status, (await answer.text()).length > 0]).toEqual([200, true]);
    }
    await app.waitUntilSettled(accountId);
    await pause();
    const receipts = await app.query(
      `SELECT SUM(charged_millicredits) AS charged, COUNT(*) AS calls FROM call_record WHERE account_id = '${accountId}'`,
    );
    expect(Number(receipts[0]?.calls)).toBe(2);
    expect((await app.findWallet(accountId)).posted).toBe(5_000_000 - Number(receipts[0]?.charged));
    expect(Number(receipts[0]?.charged)).toBeGreaterThan(0);
    expect(listBroken(await verifyLedger(database.address))).toEqual([]);
  } finally {
    await app.close();
  }
}

/** A name as long as one may be, and with characters of four bytes; and what a report says of an account without calls. */
async function signUpAndReport(app: TestApp): Promise<void> {
  for (const name of ['Jürgen 日本語 🎉', '日'.repeat(80)]) {
    const input = { name, email: `${randomUUID()}@example.com`, password: 'a long enough password' };
    const { signUp } = await app.graphql<{ signUp: { sessionToken: string; account: { id: string } } }>(
      'mutation ($input: SignUpInput!) { signUp(input: $input) { sessionToken account { id } } }',
      { input },
    );
    const span = 'from: "2020-01-01T00:00:00Z", to: "2060-01-01T00:00:00Z"';
    const answer = await app.graphql(
      `{ viewer { name } usage(input: { ${span}, bucket: MONTH, groupBy: NONE }) { total { calls } } }`,
      {},
      signUp.sessionToken,
    );
    expect(answer).toEqual({ viewer: { name }, usage: { total: { calls: 0 } } });
    // Nothing is stored twice encoded, which one who reads it by the same wrong set would not see.
    expect(await app.query(`SELECT HEX(name) AS bytes FROM account WHERE id = '${signUp.account.id}'`)).toEqual([
      { bytes: Buffer.from(name).toString('hex').toUpperCase() },
    ]);
  }
}

async function explainOpening(database: TestDatabase): Promise<string | null> {
  try {
    const source = await openDataSource(createDataSource(database.address, { entities, migrations }));
    await source.destroy();
    return null;
  } catch (error) {
    return explainStartFailure(error);
  }
}

async function listTables(database: TestDatabase): Promise<unknown> {
  const admin = await createConnection(adminUrlOf(database).href);
  const [rows] = await admin.query('SHOW TABLES');
  await admin.end();
  return rows;
}

function withTls(database: TestDatabase): TestDatabase {
  return {
    ...database,
    address: { kind: 'mysql', url: new Secret(`${databaseUrlOf(database.address)}?ssl-mode=REQUIRED`) },
  };
}

describeOnOwnMysql('A server as users have it', (openTestDatabase) => {
  let undo: (() => Promise<void>) | null = null;
  let admin: Connection;
  const openOn = async (variables: Variables) => {
    const database = await openTestDatabase();
    admin = await createConnection(adminUrlOf(database).href);
    undo = await setGlobals(admin, variables);
    return database;
  };
  afterEach(async () => {
    await undo?.();
    undo = null;
    await admin.end();
  });

  for (const { name, set, onlyOn } of servers) {
    if (onlyOn !== undefined && onlyOn !== product) continue;
    it(`sells credits and bills calls exactly with ${name}`, async () => {
      const database = await openOn(set);
      if (set.character_set_server !== undefined || set.collation_server !== undefined) {
        const collation = set.collation_server ?? 'latin1_swedish_ci';
        await admin.query(
          `ALTER DATABASE ${new URL(databaseUrlOf(database.address)).pathname.slice(1)} COLLATE ${collation}`,
        );
      }
      await sellAndBill(database);
    }, 120_000);
  }

  it('sells credits and bills calls exactly when it ends idle connections after a second', async () => {
    const database = await openOn({ wait_timeout: 1, interactive_timeout: 1 });
    const [rows] = await admin.query('SELECT CONNECTION_ID() AS id');
    expect(rows).toHaveLength(1);
    await sellAndBill(database, () => untilIdleConnectionsAreEnded(admin));
  }, 120_000);

  it('is refused with the remedy, before any table is made, where its packets are too small', async () => {
    const database = await openOn({ max_allowed_packet: 65_536 });
    expect(await explainOpening(database)).toBe(
      'DATABASE_URL: This MySQL server cannot be used. max_allowed_packet is 65536. Set it to 1048576 or more.',
    );
    expect(await listTables(database)).toEqual([]);
  });

  it('is used, and the operator told, where a power cut could lose commits', async () => {
    const database = await openOn({ innodb_flush_log_at_trx_commit: 2, sync_binlog: 0 });
    const told: string[] = [];
    const parts = { tell: (code: string, words: string) => void told.push(`${code}: ${words}`) };
    const source = await openDataSource(createDataSource(database.address, { entities: [], migrations: [] }), parts);
    await source.destroy();
    expect(told).toContain('database_setting_endangers_commits: innodb_flush_log_at_trx_commit is not 1.');
  });

  it('demands TLS: a plain address is one line with the remedy, and one with ssl-mode works in full', async () => {
    const isCertified = await hasCertificate();
    const database = await openOn({ require_secure_transport: 1 });
    const line = await explainOpening(database);
    // MariaDB 10 says no more than that access is denied.
    expect(line).toMatch(
      /^DATABASE_URL: .*(require_secure_transport|denied).* add \?ssl-mode=VERIFY_IDENTITY, or REQUIRED/i,
    );
    expect(line).not.toContain('\n');
    if (isCertified) await sellAndBill(withTls(database));
    else expect(await explainOpening(withTls(database))).toMatch(/^DATABASE_URL: .*Give that server a certificate/);
  }, 120_000);
});

describeOnOwnMysql(
  'A server whose names are in lower case, with the old locks for counters and a log of statements',
  (openTestDatabase) => {
    it('sells credits and bills calls exactly', async () => {
      await sellAndBill(await openTestDatabase());
    }, 120_000);

    it('is refused with the remedy, before any table is made, where its log is of statements alone', async () => {
      const database = await openTestDatabase();
      const admin = await createConnection(adminUrlOf(database).href);
      await admin.query("SET GLOBAL binlog_format = 'STATEMENT'");
      expect(await explainOpening(database)).toBe(
        'DATABASE_URL: This MySQL server cannot be used. Its binary log is on with binlog_format=STATEMENT, which READ COMMITTED rules out. Set binlog_format=ROW.',
      );
      expect(await listTables(database)).toEqual([]);
      await admin.query("SET GLOBAL binlog_format = 'ROW'");
      await admin.end();
    });
  },
  ['--lower-case-table-names=1', '--innodb-autoinc-lock-mode=0', '--log-bin=log', '--server-id=1'],
);

describeOnOwnMysql(
  'A server that chooses the character set of every session',
  (openTestDatabase) => {
    it('sells credits and bills calls exactly', async () => {
      await sellAndBill(await openTestDatabase());
    }, 120_000);
  },
  // MySQL 8.4 has no such switch any more.
  ['--loose-skip-character-set-client-handshake', '--character-set-server=latin1'],
);

// The machine's own library, which comes with Debian's MariaDB.
const galera = '/usr/lib/galera/libgalera_smm.so';
const describeOnGalera = product === 'MariaDB' && existsSync(galera) ? describeOnOwnMysql : describeNothing;

describeOnGalera(
  'A Galera cluster',
  (openTestDatabase) => {
    it('is refused with the remedy, before any table is made', async () => {
      const database = await openTestDatabase();
      expect(await explainOpening(database)).toMatch(
        /^DATABASE_URL: .*It is a Galera cluster.* Use a single MySQL or MariaDB primary/,
      );
      expect(await listTables(database)).toEqual([]);
    });
  },
  ['--wsrep-on=ON', `--wsrep-provider=${galera}`, '--wsrep-cluster-address=gcomm://', '--binlog-format=ROW'],
);

function describeNothing(): void {}

/** Waits until the server has ended every connection but this one, as it does with what is idle. */
async function untilIdleConnectionsAreEnded(admin: Connection): Promise<void> {
  await eventually(async () => {
    const [rows] = await admin.query(
      "SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND user = 'tollgate' AND command = 'Sleep' AND time >= 1",
    );
    return (rows as unknown[]).length === 0;
  }, 100);
}
