import { createId } from '../../kernel/ids.js';
import { SettlementQuarantine } from '../../ledger/settlements/settlement-quarantine.js';
import { answerOf, reasonOf } from '../../test/cookie-browser.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { FactorApp } from '../../test/factor-app.js';
import { endingWith } from '../../test/ledger-fixture.js';
import { TestOperator } from '../../test/operator-desk.js';

interface Refused {
  readonly callId: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reason: string;
}

describeOnEachDatabase('Settlements that the ledger refused', (openTestDatabase) => {
  const of = FactorApp.forAll(openTestDatabase);
  const finance = TestOperator.forAll(of, 'finance');
  let quarantine: SettlementQuarantine;

  beforeAll(() => {
    quarantine = new SettlementQuarantine(of.app.spoolFolder);
  });

  const refuse = async (accountId: string) => {
    const callId = createId('call');
    await quarantine.add({ callId, accountId, ending: endingWith(20, 10) }, 'unknown_hold');
    return callId;
  };
  const list = async (by = finance) =>
    answerOf<{ quarantinedSettlements: Refused[] }>(
      await by.ask('quarantinedSettlements { callId promptTokens completionTokens reason }'),
    ).quarantinedSettlements;
  const decide = (verb: 'book' | 'dismiss', id: string, reason = 'Restored from the backup', by = finance) =>
    by.change(`${verb}Settlement(callId: $id, reason: $reason)`, { id, reason });
  const readLog = (callId: string) =>
    of.app.query(`SELECT action, account_id, reason FROM operator_event WHERE subject = '${callId}' ORDER BY id`);

  it('are listed for every role, and dismissed by owner and finance with a fresh code, a reason and a line in the log, once', async () => {
    const { accountId } = await of.app.createAccount(5);
    const callId = await refuse(accountId);
    const support = await TestOperator.join(of, 'support');
    const seen = [{ callId, promptTokens: 20, completionTokens: 10, reason: 'unknown_hold' }];
    expect([await list(), await list(support)]).toEqual([seen, seen]);
    expect(reasonOf(await decide('dismiss', callId, 'No', support))).toBe('forbidden');
    expect(reasonOf(await decide('dismiss', callId, ' '))).toBe('invalid_value');
    expect(reasonOf(await decide('dismiss', callId))).toBe('done');
    expect(reasonOf(await decide('dismiss', callId))).toBe('not_found');
    expect(await list()).toEqual([]);
    const line = { action: 'dismiss_settlement', account_id: accountId, reason: 'Restored from the backup' };
    expect(await readLog(callId)).toEqual([line]);
    of.clock.advanceMs(11 * 60_000);
    expect(reasonOf(await decide('book', await refuse(accountId)))).toBe('fresh_factor_required');
    await finance.prove();
  });

  it('stay where they are while the ledger goes on refusing them, and that somebody tried stands in the log', async () => {
    const { accountId } = await of.app.createAccount(5);
    const callId = await refuse(accountId);
    expect(reasonOf(await decide('book', callId))).toBe('conflict');
    expect((await list()).map((one) => one.callId)).toContain(callId);
    expect((await readLog(callId)).map(({ action }) => action)).toEqual(['book_settlement']);
    expect(reasonOf(await decide('book', '../../etc/passwd'))).toBe('not_found');
    await decide('dismiss', callId);
  });
});
