import type { QueryRunner } from 'typeorm';
import { describeOnEachDatabase, type TestDatabase } from '../../test/each-database.js';
import { findBrokenInvariants } from '../../test/find-broken-invariants.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { LedgerTraffic } from '../../test/ledger-traffic.js';
import { findLedgerViolations } from './check-ledger.js';

/** Rows that a corruption is planted in. */
interface Sample {
  readonly wallet: string;
  readonly otherWallet: string;
  /** Calls of `wallet` that ended in this way. */
  readonly settled: string;
  readonly absorbed: string;
  readonly late: string;
  readonly released: string;
  readonly open: string;
  readonly purchase: string;
}

interface ForgedRow {
  readonly id: string;
  readonly type: string;
  readonly amount: number;
  /** The account on the other side. */
  readonly other: string;
  readonly isCredit?: boolean;
  readonly holdId?: string;
}

/** What somebody who knows the tables would do: a journal row in its right place, and counters that agree with it. */
function forge(wallet: string, { id, type, amount, other, isCredit = false, holdId }: ForgedRow): string[] {
  const change = isCredit ? amount : -amount;
  const [from, to] = isCredit ? [other, wallet] : [wallet, other];
  const counter = isCredit ? 'credits_posted' : 'debits_posted';
  return [
    `INSERT INTO ledger_transfer (wallet, wallet_seq, id, type, debit_account, credit_account, amount, available_after,
       posted_after, hold_id, at_ms)
     SELECT id, seq + 1, '${id}', '${type}', '${from}', '${to}', ${amount},
       credits_posted - debits_posted - debits_pending + ${change}, credits_posted - debits_posted + ${change},
       ${holdId ? `'${holdId}'` : 'NULL'}, 0 FROM ledger_account WHERE id = '${wallet}'`,
    `UPDATE ledger_account SET seq = seq + 1, ${counter} = ${counter} + ${amount} WHERE id = '${wallet}'`,
  ];
}

const lastRow = ({ wallet }: Sample) =>
  `wallet = '${wallet}' AND wallet_seq = (SELECT seq FROM ledger_account WHERE id = '${wallet}')`;

// What was done, the invariant that must tell (others may, too), and how it is done.
const corruptions: readonly [string, string, (sample: Sample) => string[]][] = [
  [
    'credits added to a wallet by hand',
    'a wallet counts what its journal says, and the journal has no gaps',
    ({ wallet }) => [`UPDATE ledger_account SET credits_posted = credits_posted + 1000 WHERE id = '${wallet}'`],
  ],
  [
    'use taken off a wallet by hand',
    'the last journal row tells the balance',
    ({ wallet }) => [`UPDATE ledger_account SET debits_posted = debits_posted - 1 WHERE id = '${wallet}'`],
  ],
  [
    'both counters raised, so that the balance stays',
    'a wallet counts what its journal says, and the journal has no gaps',
    ({ wallet }) => [
      `UPDATE ledger_account SET credits_posted = credits_posted + 9, debits_posted = debits_posted + 9 WHERE id = '${wallet}'`,
    ],
  ],
  [
    'a reservation forgotten',
    'what is pending is the sum of the open holds',
    ({ wallet }) => [`UPDATE ledger_account SET debits_pending = 0 WHERE id = '${wallet}'`],
  ],
  [
    'a debt permitted that nothing was lent for',
    'a debt is no larger than what is missing',
    ({ wallet }) => [`UPDATE ledger_account SET debt = 5000 WHERE id = '${wallet}'`],
  ],
  [
    'a balance overspent, in the journal as well',
    'no wallet is overspent',
    ({ wallet }) =>
      forge(wallet, { id: 'adjust:x', type: 'adjustment', amount: 900_000_000, other: 'sys:adjustments' }),
  ],
  [
    'a hold granted on an empty wallet',
    'no hold was granted below zero, and no usage took a wallet there',
    (sample) => [
      `UPDATE ledger_transfer SET available_after = -1 WHERE type = 'hold' AND wallet = '${sample.wallet}' AND wallet_seq = 2`,
    ],
  ],
  [
    'a wallet driven below zero by use',
    'no hold was granted below zero, and no usage took a wallet there',
    (sample) => [
      ...forge(sample.wallet, { id: 'x:overage', type: 'overage', amount: 900_000_000, other: 'sys:usage' }),
    ],
  ],
  [
    'a journal row made cheaper',
    'each journal row continues the balances before it and agrees with its hold',
    ({ settled }) => [`UPDATE ledger_transfer SET amount = amount - 1 WHERE id = '${settled}:r'`],
  ],
  [
    'a journal row taken out of the middle',
    'a wallet counts what its journal says, and the journal has no gaps',
    ({ settled }) => [`DELETE FROM ledger_transfer WHERE id = '${settled}:r'`],
  ],
  [
    'the end of a journal cut off',
    'a wallet counts what its journal says, and the journal has no gaps',
    (sample) => [`DELETE FROM ledger_transfer WHERE ${lastRow(sample)}`],
  ],
  [
    'a journal row moved to another wallet',
    'each journal row continues the balances before it and agrees with its hold',
    ({ settled, otherWallet }) => [
      `UPDATE ledger_transfer SET wallet = '${otherWallet}', wallet_seq = 999999 WHERE id = '${settled}:r'`,
    ],
  ],
  [
    'a charge declared a reservation',
    'a journal row moves a sane amount between the accounts that its type names',
    ({ settled }) => [`UPDATE ledger_transfer SET type = 'hold' WHERE id = '${settled}:r'`],
  ],
  [
    'a charge sent to another account',
    'a journal row moves a sane amount between the accounts that its type names',
    ({ settled }) => [`UPDATE ledger_transfer SET credit_account = 'sys:grants' WHERE id = '${settled}:r'`],
  ],
  [
    'a balance rewritten in the middle of a journal',
    'each journal row continues the balances before it and agrees with its hold',
    ({ settled }) => [`UPDATE ledger_transfer SET posted_after = posted_after + 5 WHERE id = '${settled}:r'`],
  ],
  [
    'a negative amount',
    'a journal row moves a sane amount between the accounts that its type names',
    ({ settled }) => [`UPDATE ledger_transfer SET amount = -amount WHERE id = '${settled}:r'`],
  ],
  [
    'a call charged twice, counters and all',
    'a receipt says what its hold reserved and what was charged',
    ({ wallet, settled }) =>
      forge(wallet, { id: `${settled}:again`, type: 'overage', amount: 50, other: 'sys:usage', holdId: settled }),
  ],
  [
    'a hold ended without a journal row',
    'each hold stands in the journal, with one resolution once it is resolved',
    ({ open }) => [`UPDATE ledger_hold SET state = 'released' WHERE id = '${open}'`],
  ],
  [
    'a settled hold opened again, its amount reserved again',
    'each hold stands in the journal, with one resolution once it is resolved',
    ({ wallet, settled }) => [
      `UPDATE ledger_hold SET state = 'open' WHERE id = '${settled}'`,
      `UPDATE ledger_account SET debits_pending = debits_pending + 600 WHERE id = '${wallet}'`,
    ],
  ],
  [
    'a hold vanished',
    'each journal row continues the balances before it and agrees with its hold',
    ({ released }) => [`DELETE FROM ledger_hold WHERE id = '${released}'`],
  ],
  [
    'a hold made larger',
    'each journal row continues the balances before it and agrees with its hold',
    ({ settled }) => [`UPDATE ledger_hold SET amount = amount + 1 WHERE id = '${settled}'`],
  ],
  [
    'a hold that nobody journalled',
    'each hold stands in the journal, with one resolution once it is resolved',
    ({ settled }) => [
      `INSERT INTO ledger_hold SELECT 'call_forged', wallet, key_id, 5, 'released', 0, 0, 0, 0, instance, model, provider, tier, millicredits_per_token, is_streamed, started_at_ms, NULL, NULL FROM ledger_hold WHERE id = '${settled}'`,
    ],
  ],
  [
    'a purchase forged, counters and all',
    'no purchase was granted without being paid',
    ({ wallet }) =>
      forge(wallet, { id: 'purchase:pur_x', type: 'purchase', amount: 70, other: 'sys:sales', isCredit: true }),
  ],
  [
    'a purchase paid and never granted',
    'a paid purchase was granted once, in full, to its account',
    ({ wallet }) => [
      `INSERT INTO purchase (id, account_id, gateway, amount_cents, currency, credits_millicredits, status, created_at_ms) VALUES ('pur_y', '${wallet}', 'test', 1, 'usd', 10, 'paid', 0)`,
    ],
  ],
  [
    'a purchase made larger after it was paid',
    'a paid purchase was granted once, in full, to its account',
    ({ purchase }) => [`UPDATE purchase SET credits_millicredits = credits_millicredits + 1 WHERE id = '${purchase}'`],
  ],
  [
    'a granted purchase set back to unpaid, to be paid again',
    'no purchase was granted without being paid',
    ({ purchase }) => [`UPDATE purchase SET status = 'pending' WHERE id = '${purchase}'`],
  ],
  [
    'a refund that its purchase knows nothing of, counters and all',
    'what is undone of a purchase stands in the journal, refunds as the exact share of the money',
    ({ wallet, purchase }) =>
      forge(wallet, { id: `refund:${purchase}:x`, type: 'refund', amount: 5, other: 'sys:refunds' }),
  ],
  [
    'a refund noted at its purchase and never taken',
    'what is undone of a purchase stands in the journal, refunds as the exact share of the money',
    ({ wallet, purchase }) => [
      `INSERT INTO purchase_reversal (purchase_id, account_id, revision, refunded_cents, refunded_millicredits, disputed_cents, disputed_millicredits, dispute_state) VALUES ('${purchase}', '${wallet}', 1, 1, 5, 0, 0, 'none')`,
    ],
  ],
  [
    'more of a purchase taken back than it brought, counters and all',
    'refunds and disputes never take more of a purchase than it brought',
    ({ wallet, purchase }) =>
      forge(wallet, { id: `dispute:${purchase}:x`, type: 'dispute', amount: 2_000_000, other: 'sys:disputes' }),
  ],
  [
    'sign-up credits given twice, counters and all',
    'an account was given its sign-up credits once',
    ({ wallet }) =>
      ['a', 'b'].flatMap((id) =>
        forge(wallet, { id: `grant:signup:${id}`, type: 'grant', amount: 5, other: 'sys:grants', isCredit: true }),
      ),
  ],
  [
    'a gift forged, counters and all',
    'no gift was granted without its code',
    ({ wallet }) =>
      forge(wallet, { id: 'grant:gift:gift_x', type: 'grant', amount: 5, other: 'sys:grants', isCredit: true }),
  ],
  [
    'a gift code claimed and never granted',
    'a claimed gift code was granted once, in full, to who claimed it',
    ({ wallet }) => [
      `INSERT INTO gift_code (id, code_hash, hint, credits_millicredits, claimed_by, created_at_ms) VALUES ('gift_y', 'h', 'h', 5, '${wallet}', 0)`,
    ],
  ],
  [
    'an automatic top-up taken for paid',
    'an automatic top-up is a purchase of its account and amount, and has its place only while it is under way',
    ({ wallet }) => [
      `INSERT INTO purchase (id, account_id, gateway, amount_cents, currency, credits_millicredits, status, created_at_ms) VALUES ('pur_z', '${wallet}', 'test', 1, 'usd', 10, 'pending', 0)`,
      `INSERT INTO auto_top_up_charge (purchase_id, account_id, month_utc, amount_cents, card_id, state) VALUES ('pur_z', '${wallet}', '2026-01', 1, 'c', 'paid')`,
    ],
  ],
  [
    'a receipt made cheaper, tokens and all',
    'a receipt says what its hold reserved and what was charged',
    ({ settled }) => [
      `UPDATE call_record SET completion_tokens = completion_tokens - 1, charged_millicredits = charged_millicredits - 2 WHERE call_id = '${settled}'`,
    ],
  ],
  [
    'tokens taken off a receipt',
    'a receipt is tokens times price, and the multiplier of its account rounded up once',
    ({ settled }) => [`UPDATE call_record SET prompt_tokens = 1 WHERE call_id = '${settled}'`],
  ],
  [
    'a receipt vanished',
    'each charged call has a receipt, unless it is of a sealed month',
    ({ settled }) => [`DELETE FROM call_record WHERE call_id = '${settled}'`],
  ],
  [
    'what the operator absorbed hidden',
    'a receipt says what its hold reserved and what was charged',
    ({ absorbed }) => [`DELETE FROM ledger_transfer WHERE id = '${absorbed}:absorbed'`],
  ],
  [
    'a late charge made larger',
    'each journal row continues the balances before it and agrees with its hold',
    ({ late }) => [`UPDATE ledger_transfer SET amount = amount + 10 WHERE id = '${late}:late'`],
  ],
  [
    'an hour of use made cheaper',
    'the hours of use sum to the receipts, with those of sealed months',
    ({ wallet }) => [
      `UPDATE usage_hour SET charged_millicredits = charged_millicredits - 1 WHERE account_id = '${wallet}'`,
    ],
  ],
  [
    'an hour of the journal forged',
    'the hours of the journal continue each other and sum to the journal',
    () => [
      `INSERT INTO ledger_hour (hour_ms, sales, gifts, grants, refunds, refunds_returned, disputes, disputes_returned, added,
         taken_back, charged, absorbed, liability_after)
       SELECT MAX(at_ms) - MAX(at_ms) % 3600000, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7 FROM ledger_transfer`,
    ],
  ],
  [
    'an hour of the journal moved to another kind',
    'the hours of the journal continue each other and sum to the journal',
    () => [
      `INSERT INTO ledger_hour (hour_ms, sales, gifts, grants, refunds, refunds_returned, disputes, disputes_returned, added,
         taken_back, charged, absorbed, liability_after)
       SELECT MAX(at_ms) - MAX(at_ms) % 3600000, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, SUM(credits_posted - debits_posted)
       FROM ledger_account, (SELECT MAX(at_ms) AS at_ms FROM ledger_transfer) last`,
    ],
  ],
  [
    'a wallet taken out of the reckoning',
    'each journal belongs to a wallet, and only wallets have counters',
    ({ wallet }) => [`UPDATE ledger_account SET kind = 'system' WHERE id = '${wallet}'`],
  ],
  [
    'a wallet vanished',
    'credits in minus credits out is what the wallets hold',
    ({ wallet }) => [`DELETE FROM ledger_account WHERE id = '${wallet}'`],
  ],
];

const counterInvariant =
  'what a limited key has spent and reserved in a period is what its calls of that time were charged and hold';

// The same for what keys with a spend limit have spent.
const keyCorruptions: typeof corruptions = [
  [
    'a key’s spending made less',
    counterInvariant,
    ({ wallet }) => [`UPDATE key_spend SET spent_millicredits = spent_millicredits - 1 WHERE wallet = '${wallet}'`],
  ],
  [
    'a key’s reservations forgotten',
    counterInvariant,
    ({ wallet }) => [`UPDATE key_spend SET pending_millicredits = 0 WHERE wallet = '${wallet}'`],
  ],
  [
    'a limit passed by permission of nobody',
    'no key is above its spend limit by more than was permitted, and no more is permitted than is missing',
    ({ wallet }) => [`UPDATE key_spend SET limit_millicredits = 1 WHERE wallet = '${wallet}'`],
  ],
  [
    'a call taken out of its key’s period',
    'each hold of a limited key that can still be charged counts in its period',
    ({ open }) => [`UPDATE ledger_hold SET spend_period = NULL WHERE id = '${open}'`],
  ],
];

describeOnEachDatabase('The invariants of the ledger', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let connection: QueryRunner;
  let sample: Sample;

  beforeAll(async () => {
    const database = await openTestDatabase();
    fixture = await LedgerFixture.open(database, { leaseMs: -1_000, graceMs: 0 });
    const traffic = await LedgerTraffic.open(fixture, 2);
    await traffic.run(60, 8);
    sample = await makeSample(fixture, traffic);
    connection = fixture.source.createQueryRunner();
    await dropGuards(connection, database.kind);
  });
  afterAll(async () => {
    await connection?.release();
    await fixture.close();
  });

  it('hold for a ledger in which every kind of call has ended', async () => {
    expect(await findLedgerViolations(fixture.source.manager)).toEqual([]);
  });

  it.each([...corruptions, ...keyCorruptions])('find %s', async (_, sentence, plant) => {
    expect(await findBrokenInvariants(connection, plant(sample))).toContain(sentence);
  });
});

async function makeSample(fixture: LedgerFixture, traffic: LedgerTraffic): Promise<Sample> {
  const [account, other] = traffic.accounts;
  if (!account || !other) throw new Error('Two accounts are needed.');
  const purchase = await traffic.buy(account, 1_000_000);
  await fixture.limitKey(account, { millicredits: 1_000_000_000, period: 'month' });
  const settled = await traffic.call(account, 'settled');
  // Concurrent purchases may have left more than one call can use up.
  const absorbedMillicredits = 18_000_000;
  while ((await fixture.findWallet(account.accountId)).posted >= absorbedMillicredits)
    await traffic.call(account, 'absorbed');
  const calls = {
    settled,
    absorbed: await traffic.call(account, 'absorbed'),
    lifted: await traffic.buy(account, 50_000),
    late: await traffic.call(account, 'late'),
    released: await traffic.call(account, 'voided'),
    open: await traffic.call(account, 'left open'),
  };
  return { wallet: account.accountId, otherWallet: other.accountId, purchase, ...calls };
}

/** Takes away what keeps anybody from planting a corruption at all: triggers, constraints, foreign keys. */
async function dropGuards(connection: QueryRunner, kind: TestDatabase['kind']): Promise<void> {
  for (const verb of ['update', 'delete'])
    await connection.query(`DROP TRIGGER IF EXISTS ledger_transfer_refuses_${verb}`);
  if (kind === 'sqlite') {
    await connection.query('PRAGMA foreign_keys = OFF');
    await connection.query('PRAGMA ignore_check_constraints = ON');
    return;
  }
  await connection.query('SET SESSION foreign_key_checks = 0');
  const checks = {
    ledger_account: ['ck_ledger_account_range', 'ck_ledger_account_overspend'],
    ledger_transfer: ['ck_ledger_transfer_amount', 'ck_ledger_transfer_sides'],
    ledger_hold: ['ck_ledger_hold_amounts'],
    key_spend: ['ck_key_spend_range', 'ck_key_spend_limit'],
  };
  for (const [table, names] of Object.entries(checks)) {
    for (const name of names) await connection.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  }
}
