import { Sqlite } from '../../database/sqlite-driver.js';
import { memberSpendSql } from './member-spend-sql.js';

const place = { accountId: 'acct_1', personId: 'acct_bob', from: 1_000, to: 2_000 };
const sql = memberSpendSql({
  ...{ accountId: '@accountId', personId: '@personId', from: '@from', to: '@to' },
  keyIds: '(SELECT value FROM json_each(@keyIds))',
});

describe('What is read of a member’s month', () => {
  let database: InstanceType<typeof Sqlite>;
  let keysRead = 0;
  beforeEach(() => {
    database = new Sqlite(':memory:');
    database.function('is_read', (_keyId) => {
      keysRead += 1;
      return 1;
    });
    database.exec(`
      CREATE TABLE made_key (id TEXT PRIMARY KEY, account_id TEXT, made_by TEXT);
      CREATE INDEX ix_made_key_account ON made_key (account_id);
      CREATE VIEW api_key AS SELECT id, account_id, made_by FROM made_key WHERE is_read(id);
      CREATE TABLE usage_hour (account_id TEXT, hour_ms INTEGER, key_id TEXT, charged_millicredits INTEGER, PRIMARY KEY (account_id, hour_ms, key_id));
      CREATE INDEX ix_usage_hour_key ON usage_hour (account_id, key_id, hour_ms);
      CREATE TABLE ledger_hold (id TEXT PRIMARY KEY, wallet TEXT, state TEXT, amount INTEGER, started_at_ms INTEGER, key_id TEXT);
    `);
    const used = database.prepare('INSERT INTO usage_hour VALUES (?, ?, ?, ?)');
    for (const [keyId, hourMs, charged] of [
      ['bob_1', 1_000, 300],
      ['bob_2', 1_999, 20],
      ['bob_1', 2_000, 5_000],
      ['ada_1', 1_500, 7_000],
    ] as const) {
      used.run('acct_1', hourMs, keyId, charged);
    }
    const held = database.prepare("INSERT INTO ledger_hold VALUES (?, 'acct_1', ?, ?, ?, ?)");
    held.run('call_1', 'open', 40, 1_500, 'bob_2');
    held.run('call_2', 'released', 9_000, 1_500, 'bob_2');
    held.run('call_3', 'open', 8_000, 1_500, 'ada_1');
  });
  afterEach(() => database.close());

  const makeKeys = (count: number) => {
    const make = database.prepare("INSERT INTO made_key VALUES (?, 'acct_1', ?)");
    database.transaction(() => {
      for (let n = 1; n <= count; n += 1) make.run(`bob_${n}`, 'acct_bob');
      make.run('ada_1', null);
    })();
    keysRead = 0;
  };
  const read = (text: string, named: object = place) => database.prepare(text).all(named);

  it.each([2, 20_000])('is the same with %d keys', (count) => {
    makeKeys(count);
    expect(read(sql.spentInFile)).toEqual([{ spent: 320 }]);
    expect(read(sql.pending)).toEqual([{ pending: 40 }]);
    const keyIds = JSON.stringify(['bob_1', 'ada_1', 'unknown']);
    expect(read(sql.made, { accountId: 'acct_1', personId: 'acct_bob', keyIds })).toEqual([{ id: 'bob_1' }]);
  });

  it('is not all the keys that an account has ever made', () => {
    makeKeys(20_000);
    read(sql.pending);
    read(sql.made, { accountId: 'acct_1', personId: 'acct_bob', keyIds: '["bob_1","ada_1"]' });
    expect(keysRead).toBeLessThan(10);
    // Some are counted; those of four hours with use are looked up.
    read(sql.spentInFile);
    expect(keysRead).toBeLessThanOrEqual(20_010);
  });
});
