import type { QueryRunner } from 'typeorm';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { findBrokenInvariants } from '../../test/find-broken-invariants.js';
import { begin, end, trustingKeyWatch, warmUp } from '../../test/lease-calls.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { findLedgerViolations } from './check-ledger.js';

interface Sample {
  readonly wallet: string;
  /** One that has ended, and one that is open. */
  readonly ended: string;
  readonly open: string;
  /** Calls that were booked against the open one: charged, and beyond it. */
  readonly call: string;
  readonly beyond: string;
  /** One for a key with a spend limit, and one of its calls. */
  readonly keyLease: string;
  readonly keyCall: string;
}

const counted =
  'what a limited key has spent and reserved in a period is what its calls of that time were charged and hold';
const ofKey = 'a lease for a limited key lets in its calls alone';
const spent = 'what is spent of a lease is what its receipts were charged out of it';
const receipt = 'a receipt against a lease has no hold, and takes no more of the lease than was reserved';
const sameHold = 'a lease is a hold of the same wallet and amount, and was booked at what was spent when it ended';

// What was done, the invariant that must tell (others may, too), and how it is done.
const corruptions: readonly [string, string, (sample: Sample) => string[]][] = [
  ['use taken off a lease', spent, ({ open }) => [`UPDATE wallet_lease SET spent = spent - 1 WHERE id = '${open}'`]],
  [
    'a call of a lease forgotten',
    spent,
    ({ open }) => [`UPDATE wallet_lease SET calls = calls - 1 WHERE id = '${open}'`],
  ],
  ['a receipt of a lease vanished', spent, ({ call }) => [`DELETE FROM call_record WHERE call_id = '${call}'`]],
  [
    'a receipt of a lease made cheaper, tokens and all',
    spent,
    ({ call }) => [
      `UPDATE call_record SET prompt_tokens = prompt_tokens - 5, charged_millicredits = charged_millicredits - 5 WHERE call_id = '${call}'`,
    ],
  ],
  [
    'a receipt moved to another lease',
    spent,
    ({ call, ended }) => [`UPDATE call_record SET lease = '${ended}' WHERE call_id = '${call}'`],
  ],
  [
    'a receipt of a lease that never was',
    receipt,
    ({ call }) => [`UPDATE call_record SET lease = 'lease_x' WHERE call_id = '${call}'`],
  ],
  [
    'what a call was charged beyond its lease hidden',
    spent,
    ({ beyond }) => [`DELETE FROM ledger_transfer WHERE id = '${beyond}:overage'`],
  ],
  [
    'more taken out of a lease than was reserved',
    receipt,
    ({ call }) => [`UPDATE call_record SET held_millicredits = 1 WHERE call_id = '${call}'`],
  ],
  ['a lease made larger', sameHold, ({ open }) => [`UPDATE wallet_lease SET amount = amount + 1 WHERE id = '${open}'`]],
  [
    'an ended lease opened again',
    sameHold,
    ({ ended }) => [`UPDATE wallet_lease SET state = 'open' WHERE id = '${ended}'`],
  ],
  [
    'a lease booked at less than was spent',
    sameHold,
    ({ ended }) => [`UPDATE wallet_lease SET spent = spent + 1 WHERE id = '${ended}'`],
  ],
  [
    'a lease vanished',
    'each hold of a lease has its lease',
    ({ open }) => [`DELETE FROM wallet_lease WHERE id = '${open}'`],
  ],
  [
    'what is leased for a key forgotten in its limit',
    counted,
    ({ keyLease }) => [
      `UPDATE key_spend SET pending_millicredits = 0 WHERE key_id = (SELECT key_id FROM wallet_lease WHERE id = '${keyLease}')`,
    ],
  ],
  [
    'a lease for a limited key made one for all',
    counted,
    ({ keyLease }) => [`UPDATE wallet_lease SET key_id = NULL, spend_period = NULL WHERE id = '${keyLease}'`],
  ],
  [
    'a lease for a limited key that counts nowhere',
    ofKey,
    ({ keyLease }) => [`UPDATE wallet_lease SET spend_period = NULL WHERE id = '${keyLease}'`],
  ],
  [
    'a call of another key booked against it',
    ofKey,
    ({ keyCall }) => [`UPDATE call_record SET key_id = 'key_x' WHERE call_id = '${keyCall}'`],
  ],
  [
    'what is leased forgotten in the wallet',
    'what is pending is the sum of the open holds',
    ({ wallet }) => [`UPDATE ledger_account SET debits_pending = 0 WHERE id = '${wallet}'`],
  ],
];

describeOnEachDatabase('The invariants of leases', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let connection: QueryRunner;
  let sample: Sample;

  beforeAll(async () => {
    // Its clock stands still, so that no lease is idle, however long the machine takes.
    const watching = { keyWatch: trustingKeyWatch, readMs: () => 0 };
    fixture = await LedgerFixture.open(await openTestDatabase(), undefined, watching);
    const { ledger } = fixture;
    const account = await fixture.createFundedAccount(100_000);
    const { accountId } = account;
    const findLease = async (state: string) => {
      const [row] = await fixture.source.query(
        `SELECT id FROM wallet_lease WHERE wallet = '${accountId}' AND state ${state} AND spent > 0 AND key_id IS NULL`,
      );
      return String(row.id);
    };
    await warmUp(ledger, account, 100);
    await end(ledger, account, (await begin(ledger, account, 100)).callId, 30);
    // The next lease follows when this one is nearly used up.
    const calls: string[] = [];
    while ((await fixture.countRows('wallet_lease', "state = 'ended' AND spent > 0")) === 0) {
      const { callId } = await begin(ledger, account, 100);
      await end(ledger, account, callId, 90);
      calls.push(callId);
    }
    await warmUp(ledger, account, 100);
    const [call, beyond] = [await begin(ledger, account, 100), await begin(ledger, account, 100)];
    await end(ledger, account, call.callId, 20);
    await end(ledger, account, beyond.callId, 50_000);
    const leases = { ended: await findLease("= 'ended'"), open: await findLease("<> 'ended'") };
    const limited = { accountId, keyId: await fixture.createKey(accountId) };
    await fixture.limitKey(limited, { millicredits: 20_000, period: 'day' });
    const asRead = { keyRevision: 1, isKeyLimited: true };
    await warmUp(ledger, limited, 100, asRead);
    const { callId: keyCall } = await begin(ledger, limited, 100, asRead);
    await end(ledger, limited, keyCall, 20);
    const [{ id: keyLease }] = await fixture.source.query(`SELECT id FROM wallet_lease WHERE key_id IS NOT NULL`);
    sample = { wallet: accountId, ...leases, call: call.callId, beyond: beyond.callId, keyLease, keyCall };
    connection = fixture.source.createQueryRunner();
    for (const verb of ['update', 'delete']) {
      await connection.query(`DROP TRIGGER IF EXISTS ledger_transfer_refuses_${verb}`);
    }
    const isSqlite = fixture.database.kind === 'sqlite';
    await connection.query(
      isSqlite
        ? 'PRAGMA ignore_check_constraints = ON'
        : 'ALTER TABLE wallet_lease DROP CONSTRAINT ck_wallet_lease_amounts',
    );
  });
  afterAll(async () => {
    await connection?.release();
    await fixture.close();
  });

  it('hold for leases that have ended and that are open, within and beyond what was reserved', async () => {
    expect(await findLedgerViolations(fixture.source.manager)).toEqual([]);
  });

  it.each(corruptions)('find %s', async (_, sentence, plant) => {
    expect(await findBrokenInvariants(connection, plant(sample))).toContain(sentence);
  });
});
