import { FakeClock } from '../kernel/clock.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { PriceVersions } from './price-versions.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

describeOnEachDatabase('Prices that begin at once', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  const open = (clock: FakeClock) => {
    const versions = new PriceVersions({ unitOfWork: fixture.unitOfWork, clock });
    const add = async (price: number, atMs: number | null = null) => {
      const effectiveAtMs = versions.readTime(atMs);
      return versions.add({ document: `tiers: { lower: ${price} }`, effectiveAtMs, by: 'Ada' }, async () => {});
    };
    const findNow = async () => (await versions.findInForce(clock.nowMs()))?.number ?? null;
    const listComing = async () => (await versions.listComing(clock.nowMs())).map(({ number }) => number);
    return { versions, add, findNow, listComing };
  };

  it('have begun also when a clock that was days ahead is set right, and never take the place of later ones', async () => {
    const clock = new FakeClock(Date.UTC(2026, 0, 15));
    const { versions, add, findNow, listComing } = open(clock);
    const rightMs = clock.nowMs();
    await add(2);
    clock.setWallMs(rightMs + 3 * dayMs);
    const ahead = await add(6);
    clock.setWallMs(rightMs + hourMs);
    expect([await findNow(), await listComing()]).toEqual([ahead, []]);
    await expect(versions.withdraw(ahead, async () => {})).rejects.toMatchObject({ code: 'conflict' });
    clock.setWallMs(rightMs + 2 * hourMs);
    const later = await add(7);
    expect([await findNow(), await listComing()]).toEqual([later, []]);
    clock.setWallMs(rightMs + 4 * dayMs);
    expect([await findNow(), await listComing()]).toEqual([later, []]);
    const inForce = await versions.listInForce({ fromMs: rightMs + 3 * hourMs, toMs: rightMs + 5 * dayMs });
    expect(inForce.map(({ number }) => number)).toEqual([later]);
    const planned = await add(8, clock.nowMs() + hourMs);
    expect([await findNow(), await listComing()]).toEqual([later, [planned]]);
    clock.setWallMs(rightMs + 4 * dayMs + hourMs);
    expect([await findNow(), await listComing()]).toEqual([planned, []]);
  });
});
