import { mock } from 'node:test';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { recordStatements } from '../../test/record-statements.js';
import { firstPassword, RecoveryPeople } from '../../test/recovery-people.js';

/*
 * Whether there is an account must not show in what a request answers, nor in how long that takes. Time is not measured here; what
 * is counted is the work that takes it: the statements.
 */
describeOnEachDatabase('Whether an address has an account', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let people: RecoveryPeople;
  let statements: string[] = [];

  beforeEach(async () => {
    people = new RecoveryPeople(fixture);
    statements = await recordStatements(fixture.source);
  });
  afterEach(() => mock.restoreAll());

  const measure = async (work: () => Promise<unknown>) => {
    statements.length = 0;
    const outcome = await work().then(
      (answer) => ['answered', answer],
      ({ code, message }) => [code, message],
    );
    // Times of events stand in them, taken from the clock of the machine.
    return { outcome, statements: statements.map((sql) => sql.replace(/\b\d{13}\b/g, 'now')) };
  };

  it('shows in no request for a new password: the same statements and answer, unknown, verified, not verified or deleted', async () => {
    await people.signUp('verified@example.com');
    await people.signUp('unproven@example.com', { isVerified: false });
    const gone = await people.signUp('gone@example.com');
    await fixture.source.query(`UPDATE account SET closed_at_ms = 1 WHERE id = '${gone.accountId}'`);
    const ask = (name: string, address: string) =>
      measure(() => people.services.resets.request({ email: `${name}@example.com`, address }));
    const unknown = await ask('somebody', '198.51.100.1');
    expect(unknown.outcome).toEqual(['answered', undefined]);
    expect(unknown.statements.length).toBeGreaterThan(0);
    const names = ['verified', 'unproven', 'gone'];
    for (const [n, name] of names.entries()) expect(await ask(name, `198.51.100.${n + 2}`)).toEqual(unknown);
    // Asked again at once, no further mail is due; that is the same as well.
    const again = await ask('somebody', '203.0.113.1');
    for (const [n, name] of names.entries()) expect(await ask(name, `203.0.113.${n + 2}`)).toEqual(again);
  });

  it('shows in no request for another address: the same statements and answer, free, taken or kept for its owner', async () => {
    await people.signUp('taken@example.com');
    const mover = await people.signUp('moved@example.com');
    const ask = async (name: string) => {
      const { viewer } = await people.signUp(`asker-of-${name}@example.net`);
      const proof = { viewer, password: firstPassword, address: '192.0.2.1' };
      return measure(() => people.services.emailChanges.request(proof, `${name}@example.com`));
    };
    await people.services.emailChanges.confirm(String(await people.changeTokenFor(mover, 'mover@example.org')));
    const free = await ask('free');
    expect(free.outcome).toEqual(['answered', undefined]);
    for (const name of ['taken', 'moved']) expect(await ask(name)).toEqual(free);
  });
});
