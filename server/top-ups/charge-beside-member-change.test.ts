import { createConnection } from 'mysql2/promise';
import { openTopUpPayers } from '../composition/open-top-up-payers.js';
import { silentLogger } from '../kernel/logger.js';
import { OneProcessKeyChanges } from '../keys/changes/key-changes.js';
import { toBelieved } from '../ledger/receipts/proven-time.js';
import { Memberships } from '../members/memberships.js';
import { adminUrlOf, describeOnMysql } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import type { Person } from '../test/recovery-people.js';
import { TeamPeople } from '../test/team-people.js';
import { AutoTopUp } from './auto-top-up.js';

const unused = () => Promise.reject(new Error('Nobody asks for this.'));

describeOnMysql('A charge of a saved card that begins while a member changes', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let team: TeamPeople;
  let ada: Person;
  let bob: Person;

  beforeEach(async () => {
    team = new TeamPeople(fixture);
    ada = await team.signUp('ada@example.com');
    bob = await team.joinAs(ada, 'billing', 'bob@example.com');
  });

  const turnOn = ({ accountId }: Person, payerId: string) =>
    fixture.source.query(
      `INSERT INTO auto_top_up (account_id, is_on, threshold_millicredits, amount_cents, monthly_cap_cents, consent_at_ms,
         gateway, card_id, payer_id, payer_card_id, payer_consent_at_ms, failures_in_a_row, revision)
       VALUES ('${accountId}', 1, 1000000, 500, 5000, 1, 'test', 'card', '${payerId}', 'card', 1, 0, 0)`,
    );

  const changes: readonly [string, (memberships: Memberships) => Promise<unknown>][] = [
    ['is made a viewer', (memberships) => memberships.setRole({ ...team.change(ada, ada, bob), role: 'viewer' })],
    ['is removed', (memberships) => memberships.remove(team.change(ada, ada, bob), { revokeKeys: false })],
    [
      'leaves',
      (memberships) => memberships.leave({ accountId: ada.accountId, personId: bob.accountId }, { revokeKeys: false }),
    ],
  ];

  it.each(changes)('and %s comes through together with that, at the first attempt of both', async (_, change) => {
    await turnOn(ada, ada.accountId);
    const { unitOfWork, clock } = team;
    const payers = openTopUpPayers({
      outbox: { put: async () => false },
      clock,
      publicUrl: 'http://tollgate.test',
    });
    const attempts = { changes: 0, charges: 0 };
    const memberships = new Memberships({
      ...{ unitOfWork, clock, keyChanges: new OneProcessKeyChanges(clock) },
      payers: {
        endIfNoPayer: async (transaction, of) => {
          attempts.changes += 1;
          await payers.endIfNoPayer(transaction, of);
        },
        forgetCardOf: unused,
        endSince: unused,
      },
    });
    const beside = await createConnection(adminUrlOf(fixture.database).href);
    const isWaiting = async () => {
      const [rows] = await beside.query(
        `SELECT p.id FROM information_schema.innodb_trx t JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id
         WHERE t.trx_state = 'LOCK WAIT' AND p.db = DATABASE()`,
      );
      return (rows as unknown[]).length > 0;
    };
    let changed: Promise<unknown> = Promise.resolve();
    const charged: string[] = [];
    const topUp = new AutoTopUp({
      ...{ unitOfWork, clock, logger: silentLogger },
      readTime: async () => toBelieved(clock.nowMs()),
      cards: {
        name: 'test',
        chargeSavedCard: async ({ accountId }) => {
          charged.push(accountId);
          return { paymentId: 'pi_test' };
        },
        startCardSetup: unused,
        findCardSetup: unused,
        findCharge: unused,
        forgetCard: unused,
        listCardIds: unused,
        openBillingPortal: unused,
      },
      payers: {
        // It has locked what it charges by, and has not written the purchase yet.
        endUnlessAgreed: async () => {
          attempts.charges += 1;
          if (attempts.charges === 1) {
            changed = change(memberships);
            // The server looks anew at who waits ten times a second at most.
            await eventually(isWaiting, 200);
          }
          return true;
        },
      },
      outcomes: { finish: unused, tellOfCap: unused },
      reconciliation: { reconcile: async () => undefined as never },
    });
    expect(await topUp.topUpIfNeeded(ada.accountId)).toBe(true);
    await changed;
    await beside.end();
    expect(charged).toEqual([ada.accountId]);
    expect(attempts).toEqual({ changes: 1, charges: 1 });
  });
});
