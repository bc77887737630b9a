import { FakeClock } from '../kernel/clock.js';
import { silentLogger } from '../kernel/logger.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { Outbox } from './outbox.js';

describeOnEachDatabase('A mail to the operator', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);

  it('of more lines than a database takes has the first of them, and says how many are missing', async () => {
    const outbox = new Outbox(fixture.unitOfWork, new FakeClock(), 'operator@example.com', silentLogger);
    const lines = Array.from(
      { length: 2_000 },
      (_, n) => `pur_${n}: paid at Stripe 10 €, and 0 here, which does not fit`,
    );
    await outbox.tellOperator({ subjectKey: 'differences:a', title: 'Differences', body: `${lines.join('\n')}\n` });
    const [{ body }] = await fixture.source.query('SELECT body FROM notice');
    const told = String(body).trimEnd().split('\n');
    const last = /^And (\d+) more lines, which stand in the log of the server\.$/.exec(told.pop() ?? '');
    expect(told).toEqual(lines.slice(0, told.length));
    // One is empty, behind the last line feed.
    expect(told.length + Number(last?.[1])).toBe(lines.length + 1);
    await outbox.tellOperator({ subjectKey: 'differences:b', title: 'Differences', body: 'One.\n' });
    const short = await fixture.source.query("SELECT body FROM notice WHERE subject_key = 'differences:b'");
    expect(short).toEqual([{ body: 'One.\n' }]);
  });
});
