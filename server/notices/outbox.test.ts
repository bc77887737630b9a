import { FakeClock } from '../kernel/clock.js';
import { silentLogger } from '../kernel/logger.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { noticeKinds } from './notice-kinds.js';
import { type NewNotice, Outbox, toNoticeInsert } from './outbox.js';

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

describeOnEachDatabase('A mail that the ledger writes', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  const mail = (subjectKey: string): NewNotice => ({
    ...({ subjectKey, accountId: 'acct_1', channel: 'email', recipient: 'owner@example.com' } as const),
    ...{ title: 'Off', body: 'It is off.\n' },
  });
  const write = (subjectKey: string, accountId: string) => {
    const source = { table: 'ledger_account', where: 'id = ? OR id = ?', values: [accountId, 'acct_missing'] };
    const { sql, values } = toNoticeInsert(mail(subjectKey), 1, source);
    return fixture.source.query(sql, values);
  };

  it('is there once for its subject, and only where what it is about is there', async () => {
    const { accountId } = await fixture.createFundedAccount(0);
    await write('top-up-off:oper_1', 'acct_another');
    expect(await fixture.countRows('notice')).toBe(0);
    for (let again = 0; again < 2; again += 1) await write('top-up-off:oper_1', accountId);
    expect(await fixture.countRows('notice')).toBe(1);
  });

  it('is never of a kind of which an account is sent no more than ten in an hour', () => {
    for (const kind of Object.keys(noticeKinds)) {
      const make = () => toNoticeInsert(mail(`${kind}:1`), 1, { table: 'ledger_account', where: '1 = 1', values: [] });
      if (noticeKinds[kind] === 'kept') expect(make).not.toThrow();
      else expect(make).toThrow('never refused');
    }
  });
});
