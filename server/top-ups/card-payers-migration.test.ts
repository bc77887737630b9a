import { createDataSource, openDataSource } from '../database/data-source.js';
import { migrations } from '../entities.js';
import { createId } from '../kernel/ids.js';
import { describeOnEachDatabase } from '../test/each-database.js';

describeOnEachDatabase('Cards from before it was kept whose they are', (openTestDatabase) => {
  it('are of whom the log of the account names, as are consents, and of nobody where it names nobody', async () => {
    const { address, drop } = await openTestDatabase();
    const at = migrations.findIndex(({ name }) => name.startsWith('CardPayers'));
    const before = await openDataSource(
      createDataSource(address, { entities: [], migrations: migrations.slice(0, at) }),
    );
    const addTopUp = async (events: readonly (readonly [string, string | null, string])[], last4 = '4242') => {
      const id = createId('account');
      await before.query(
        `INSERT INTO account (id, email, email_normalised, name, password_hash, created_at_ms, key_revision) VALUES ('${id}', '${id}', '${id}', 'A', 'x', 0, 0)`,
      );
      await before.query(
        `INSERT INTO auto_top_up (account_id, is_on, threshold_millicredits, amount_cents, monthly_cap_cents, consent_at_ms, consent_version, gateway, card_id, card_last4, failures_in_a_row, revision)
         VALUES ('${id}', 1, 1000, 500, 500, 7, 'v', 'stripe', 'pm_${last4}', '${last4}', 0, 0)`,
      );
      for (const [kind, person, detail] of events) {
        await before.query(
          `INSERT INTO account_event (id, account_id, kind, person_id, detail, created_at_ms) VALUES ('${createId('accountEvent')}', '${id}', '${kind}', ${person === null ? 'NULL' : `'${person}'`}, '${detail}', 0)`,
        );
      }
      return id;
    };
    const saved = ['card_saved', 'acct_bob', '4242'] as const;
    const ofBob = await addTopUp([saved, ['auto_top_up_set', 'acct_bob', 'on'], ['card_saved', null, '4242']]);
    const raisedByAda = await addTopUp([
      saved,
      ...(['acct_bob', 'acct_ada'] as const).map((person) => ['auto_top_up_set', person, 'on'] as const),
    ]);
    const another = await addTopUp([saved, ['auto_top_up_set', 'acct_bob', 'on']], '1881');
    const unknown = await addTopUp([]);
    await before.destroy();

    const after = await openDataSource(createDataSource(address, { entities: [], migrations }));
    const rows = await after.query(
      'SELECT account_id AS id, is_on AS isOn, payer_id AS payer, payer_card_id AS card, payer_consent_at_ms AS consent FROM auto_top_up',
    );
    const found = new Map(
      rows.map(({ id, consent, ...row }: { id: string; consent: unknown }) => [
        id,
        { ...row, consent: consent === null ? null : Number(consent) },
      ]),
    );
    expect(found.get(ofBob)).toEqual({ isOn: 1, payer: 'acct_bob', card: 'pm_4242', consent: 7 });
    expect(found.get(raisedByAda)).toEqual({ isOn: 1, payer: 'acct_bob', card: 'pm_4242', consent: null });
    expect(found.get(another)).toEqual({ isOn: 1, payer: null, card: 'pm_1881', consent: null });
    expect(found.get(unknown)).toEqual({ isOn: 1, payer: null, card: 'pm_4242', consent: null });
    await after.destroy();
    await drop();
  }, 120_000);
});
