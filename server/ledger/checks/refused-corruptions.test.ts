import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRepositoryRoot, readSourceTree } from '../../test/architecture/source-tree.js';
import { describeOnEachDatabase, type TestDatabase } from '../../test/each-database.js';
import { begin, end, trustingKeyWatch, warmUp } from '../../test/lease-calls.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { standGuardAsAdmin } from '../../test/stand-guard.js';
import { findLedgerViolations, invariants, liveInvariants } from './check-ledger.js';

/** Rows that a corruption is tried on. */
interface Sample {
  /** With calls of each kind, an open hold, a lease, and a key with a spend limit. */
  readonly wallet: string;
  /** Nothing but a journal. */
  readonly idleWallet: string;
  readonly settled: string;
  readonly keyId: string;
}

type Kind = 'check' | 'unique key' | 'primary key' | 'foreign key' | 'trigger';
type Corruption = readonly [what: string, kind: Kind, guard: string, plant: (sample: Sample) => string];

/** A row of a wallet's journal once more, in a place of its own, with some columns changed. */
const journalRow = (wallet: string, changed: Readonly<Record<string, string>>) => {
  const columns = { id: "'x'", resolves: 'NULL', amount: 'amount', debit: 'debit_account', credit: 'credit_account' };
  const { id, resolves, amount, debit, credit } = { ...columns, ...changed };
  return `INSERT INTO ledger_transfer (wallet, wallet_seq, id, type, debit_account, credit_account, amount, available_after,
     posted_after, hold_id, resolves, at_ms)
   SELECT wallet, 900001, ${id}, type, ${debit}, ${credit}, ${amount}, available_after, posted_after, hold_id, ${resolves}, at_ms
   FROM ledger_transfer WHERE wallet = '${wallet}' AND resolves IS NOT NULL LIMIT 1`;
};

const twice = (table: string, where: string) => `INSERT INTO ${table} SELECT * FROM ${table} WHERE ${where} LIMIT 1`;

/**
 * What no statement can write into the books while their guards stand, and the guard that refuses it; each is tried on each database. The
 * table of `docs/operations/ledger.md` says the same in the same words.
 */
const refused: readonly Corruption[] = [
  [
    'a balance below zero by use, or a reservation beyond what is available',
    'check',
    'ck_ledger_account_overspend',
    ({ wallet }) => `UPDATE ledger_account SET debits_posted = debits_posted + 900000000 WHERE id = '${wallet}'`,
  ],
  [
    'a counter of a wallet below zero',
    'check',
    'ck_ledger_account_range',
    ({ wallet }) => `UPDATE ledger_account SET debits_pending = -1 WHERE id = '${wallet}'`,
  ],
  [
    'one purchase, gift, refund or charge booked twice',
    'unique key',
    'ux_ledger_transfer_id',
    ({ wallet }) => journalRow(wallet, { id: 'id' }),
  ],
  [
    'a hold or a lease ended twice',
    'unique key',
    'ux_ledger_transfer_resolves',
    ({ wallet }) => journalRow(wallet, { resolves: 'resolves' }),
  ],
  [
    'two rows in one place of a journal',
    'primary key',
    'ledger_transfer',
    ({ wallet }) => journalRow(wallet, {}).replace('900001', 'wallet_seq'),
  ],
  [
    'a journal row with less than nothing',
    'check',
    'ck_ledger_transfer_amount',
    ({ wallet }) => journalRow(wallet, { amount: '-1' }),
  ],
  [
    'a journal row from an account to itself',
    'check',
    'ck_ledger_transfer_sides',
    ({ wallet }) => journalRow(wallet, { credit: 'debit_account' }),
  ],
  [
    'a journal row from or to an account that is not there',
    'foreign key',
    'fk_ledger_transfer_debit_account, fk_ledger_transfer_credit_account',
    ({ wallet }) => journalRow(wallet, { credit: "'sys:nobody'" }),
  ],
  [
    'a journal without its wallet',
    'foreign key',
    'fk_ledger_transfer_wallet, fk_ledger_transfer_debit_account, fk_ledger_transfer_credit_account',
    ({ idleWallet }) => `DELETE FROM ledger_account WHERE id = '${idleWallet}'`,
  ],
  [
    'a journal row changed',
    'trigger',
    'ledger_transfer_refuses_update',
    ({ wallet }) => `UPDATE ledger_transfer SET amount = amount + 1 WHERE wallet = '${wallet}'`,
  ],
  [
    'a journal row removed',
    'trigger',
    'ledger_transfer_refuses_delete',
    ({ wallet }) => `DELETE FROM ledger_transfer WHERE wallet = '${wallet}'`,
  ],
  [
    'a second hold for one call',
    'primary key',
    'ledger_hold',
    ({ settled }) => twice('ledger_hold', `id = '${settled}'`),
  ],
  [
    'a hold charged beyond what it reserved',
    'check',
    'ck_ledger_hold_amounts',
    ({ settled }) => `UPDATE ledger_hold SET posted = amount + 1 WHERE id = '${settled}'`,
  ],
  [
    'a hold of no wallet',
    'foreign key',
    'fk_ledger_hold_wallet',
    ({ settled }) => `UPDATE ledger_hold SET wallet = 'acct_nobody' WHERE id = '${settled}'`,
  ],
  ['one lease twice', 'primary key', 'wallet_lease', ({ wallet }) => twice('wallet_lease', `wallet = '${wallet}'`)],
  [
    'a lease spent beyond what it set aside',
    'check',
    'ck_wallet_lease_amounts',
    ({ wallet }) => `UPDATE wallet_lease SET spent = amount + 1 WHERE wallet = '${wallet}'`,
  ],
  [
    'two receipts of one call',
    'primary key',
    'call_record',
    ({ settled }) => twice('call_record', `call_id = '${settled}'`),
  ],
  [
    'a receipt with less than no tokens',
    'check',
    'ck_call_record_tokens',
    ({ settled }) => `UPDATE call_record SET prompt_tokens = -1 WHERE call_id = '${settled}'`,
  ],
  [
    'a receipt of no account',
    'foreign key',
    'fk_call_record_account_id',
    ({ settled }) => `UPDATE call_record SET account_id = 'acct_nobody' WHERE call_id = '${settled}'`,
  ],
  [
    'one hour of use twice',
    'primary key',
    'usage_hour',
    ({ wallet }) => twice('usage_hour', `account_id = '${wallet}'`),
  ],
  [
    'a key that has spent and reserved more than its limit',
    'check',
    'ck_key_spend_limit',
    ({ keyId }) => `UPDATE key_spend SET pending_millicredits = 900000000 WHERE key_id = '${keyId}'`,
  ],
  [
    'a key that has spent less than nothing',
    'check',
    'ck_key_spend_range',
    ({ keyId }) => `UPDATE key_spend SET spent_millicredits = -1 WHERE key_id = '${keyId}'`,
  ],
  [
    'two counters of one key and period',
    'primary key',
    'key_spend',
    ({ keyId }) => twice('key_spend', `key_id = '${keyId}'`),
  ],
  [
    'a month of removed receipts without calls, or with sums below zero',
    'check',
    'ck_sealed_month_sums',
    ({ wallet }) =>
      `INSERT INTO sealed_month (account_id, month_ms, month_end_ms, calls, held_calls, prompt_tokens, completion_tokens, charged_millicredits, absorbed_millicredits) VALUES ('${wallet}', 0, 1, 1, 0, 0, 0, -1, 0)`,
  ],
  [
    'one payment at two purchases',
    'unique key',
    'ux_purchase_gateway_session',
    ({ wallet }) =>
      `INSERT INTO purchase (id, account_id, gateway, gateway_session_id, amount_cents, currency, credits_millicredits, status, created_at_ms) VALUES ('pur_a', '${wallet}', 'g', 's', 1, 'usd', 10, 'pending', 0), ('pur_b', '${wallet}', 'g', 's', 1, 'usd', 10, 'pending', 0)`,
  ],
];

/** How each database names the guard that refused a statement. SQLite names a key by its columns, and no foreign key at all. */
function toPattern(kind: Kind, guard: string, database: TestDatabase['kind']): RegExp {
  if (kind === 'trigger') return /ledger_transfer is append-only/;
  const isSqlite = database === 'sqlite';
  const guards = guard.replaceAll(', ', '|');
  if (kind === 'check' || !isSqlite) {
    return kind === 'primary key' ? /Duplicate entry .* for key '(\w+\.)?PRIMARY'/ : new RegExp(`\\b(${guards})\\b`);
  }
  if (kind === 'foreign key') return /FOREIGN KEY constraint failed/;
  const columns: Readonly<Record<string, string>> = {
    ux_ledger_transfer_id: 'ledger_transfer.id',
    ux_ledger_transfer_resolves: 'ledger_transfer.resolves',
    ux_purchase_gateway_session: 'purchase.gateway, purchase.gateway_session_id',
  };
  return new RegExp(`UNIQUE constraint failed: ${columns[guard] ?? `${guard}\\.`}`);
}

describeOnEachDatabase('The books, whoever writes to them with the rights of the server,', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let sample: Sample;

  beforeAll(async () => {
    const database = await openTestDatabase();
    fixture = await LedgerFixture.open(database, undefined, { keyWatch: trustingKeyWatch, readMs: () => 0 });
    await standGuardAsAdmin(database);
    const { ledger } = fixture;
    const account = await fixture.createFundedAccount(100_000);
    const { callId: settled } = await begin(ledger, account, 100);
    await end(ledger, account, settled, 30);
    await begin(ledger, account, 100);
    await warmUp(ledger, account, 100);
    const limited = { accountId: account.accountId, keyId: await fixture.createKey(account.accountId) };
    await fixture.limitKey(limited, { millicredits: 20_000, period: 'day' });
    await begin(ledger, limited, 100, { keyRevision: 1, isKeyLimited: true });
    const idle = await fixture.createFundedAccount(5);
    sample = { wallet: account.accountId, idleWallet: idle.accountId, settled, keyId: limited.keyId };
  });
  afterAll(() => fixture.close());

  it.each(refused)('never have %s', async (_, kind, guard, plant) => {
    const before = await countAll();
    const pattern = toPattern(kind, guard, fixture.database.kind);
    await expect(fixture.source.query(plant(sample))).rejects.toThrow(pattern);
    expect(await countAll()).toEqual(before);
    expect(await findLedgerViolations(fixture.source.manager)).toEqual([]);
  });

  const countAll = () =>
    Promise.all(
      ['ledger_account', 'ledger_transfer', 'ledger_hold', 'call_record'].map((table) => fixture.countRows(table)),
    );
});

describe('The invariants', () => {
  it('have each a test that plants what breaks it', () => {
    const root = findRepositoryRoot(import.meta.dirname);
    const tests = [...readSourceTree(root)].filter(([path]) =>
      /^server\/(ledger|totals|composition)\/.*\.test\.ts$/.test(path),
    );
    const named = (sentence: string) => tests.some(([, text]) => text.includes(sentence));
    expect(Object.keys({ ...invariants, ...liveInvariants }).filter((sentence) => !named(sentence))).toEqual([]);
  });
});

describe('docs/operations/ledger.md', () => {
  it('lists what the books never have, and what refuses it, as it was tried', () => {
    const page = readFileSync(join(findRepositoryRoot(import.meta.dirname), 'docs/operations/ledger.md'), 'utf8');
    const [, chapter = ''] = page.split('## What the database refuses by itself');
    const [table = ''] = chapter.split(/\n#+ /);
    const rows = [...table.matchAll(/^\| (?!what |---)(.+?) \| (.+?) \|$/gm)].map(([, what, guard]) => [what, guard]);
    expect(rows).toEqual(refused.map(([what, kind, guard]) => [what, `${kind} ${quote(guard)}`]));
  });
});

const quote = (names: string) =>
  names
    .split(', ')
    .map((name) => `\`${name}\``)
    .join(', ');
