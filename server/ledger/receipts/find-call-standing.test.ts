import { createId } from '../../kernel/ids.js';
import { toMillicredits } from '../../kernel/millicredits.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { endingWith, factsAt, LedgerFixture } from '../../test/ledger-fixture.js';
import { findCallStanding } from './find-call-standing.js';

type Books = Parameters<typeof findCallStanding>[0];

describeOnEachDatabase('findCallStanding', (openTestDatabase) => {
  let fixture: LedgerFixture;
  beforeEach(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
  });
  afterEach(() => fixture.close());

  const standingOf = (callId: string, { ledger }: { ledger: Books['ledger'] } = fixture) =>
    findCallStanding({ reader: fixture.source.manager, ledger }, callId);

  it('tells a call that holds, one that was charged, one that cost nothing, and one that nobody knows', async () => {
    const { accountId, keyId } = await fixture.createFundedAccount(5_000);
    const amountMillicredits = toMillicredits(100);
    const hold = async () => {
      const callId = createId('call');
      const amounts = { amountMillicredits, acceptFromMillicredits: amountMillicredits };
      await fixture.ledger.placeHold({ callId, accountId, keyId, facts: factsAt(1), ...amounts });
      return callId;
    };
    const [running, charged, free] = [await hold(), await hold(), await hold()];
    await fixture.ledger.settleHold({ callId: charged, accountId, ending: endingWith(30, 40) });
    await fixture.ledger.settleHold({ callId: free, accountId, ending: endingWith(0, 0) });
    expect(await standingOf(running)).toBe('running');
    expect(await standingOf(charged)).toBe('charged');
    expect(await standingOf(free)).toBe('free');
    expect(await standingOf(createId('call'))).toBe('free');
    await fixture.ledger.settleHold({ callId: running, accountId, ending: endingWith(0, 0) });
  });

  it('takes no call for free whose settlement waits on this disk, whatever the books say meanwhile', async () => {
    const { accountId, keyId } = await fixture.createFundedAccount(5_000);
    const amountMillicredits = toMillicredits(100);
    const callId = createId('call');
    const amounts = { amountMillicredits, acceptFromMillicredits: amountMillicredits };
    await fixture.ledger.placeHold({ callId, accountId, keyId, facts: factsAt(1), ...amounts });
    await fixture.ledger.settleHold({ callId, accountId, ending: endingWith(0, 0) });
    expect(await standingOf(callId)).toBe('free');
    const waits = async (id: string) => id === callId;
    expect(await standingOf(callId, { ledger: { isSettlementWaiting: waits } })).toBe('running');
  });

  it('takes no call for free whose settlement the ledger refused and the operator has to decide about', async () => {
    const { accountId } = await fixture.createFundedAccount(5_000);
    const callId = createId('call');
    const settled = await fixture.ledger.settleHold({ callId, accountId, ending: endingWith(30, 40) });
    expect(settled).toMatchObject({ status: 'quarantined' });
    expect(await standingOf(callId)).toBe('running');
  });
});
