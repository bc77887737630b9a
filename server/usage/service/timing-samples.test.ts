import { leastIdAt } from '../../kernel/ids.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { endingWith, LedgerFixture } from '../../test/ledger-fixture.js';
import { readTimingSamples } from './timing-samples.js';

const hourMs = 3_600_000;
const firstHour = Date.UTC(2026, 5, 1);

describeOnEachDatabase('Samples of times', (openTestDatabase) => {
  const fixture = LedgerFixture.forAll(openTestDatabase);

  it('are of the newest calls of each bucket, as many over all as may be looked at', async () => {
    const account = await fixture.createFundedAccount(1_000);
    for (const [hour, totalMs] of [
      [0, 10],
      [0, 20],
      [0, 30],
      [1, 40],
      [1, 50],
      [1, 60],
    ] as const) {
      const startedAtMs = firstHour + hour * hourMs + totalMs;
      const known = { callId: leastIdAt('call', startedAtMs), heldMillicredits: 3, startedAtMs };
      await fixture.call(account, { ...endingWith(1, 2), totalMs }, known);
    }
    const starts = [firstHour, firstHour + hourMs];
    const wanted = { accountId: account.accountId, starts, endMs: firstHour + 2 * hourMs, filter: {}, groupings: [] };
    const look = async (callsMax: number) => {
      const { calls, isPartial } = await readTimingSamples(fixture.unitOfWork.reader, { ...wanted, callsMax });
      return { times: calls.map(({ totalMs }) => totalMs).sort((one, other) => one - other), isPartial };
    };
    expect(await look(4)).toEqual({ times: [20, 30, 50, 60], isPartial: true });
    expect(await look(8)).toEqual({ times: [10, 20, 30, 40, 50, 60], isPartial: false });
  });
});
