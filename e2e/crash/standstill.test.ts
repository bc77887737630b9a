import { setTimeout as sleep } from 'node:timers/promises';
import { describeOnEachDatabase } from '../../server/test/each-database.js';
import { eventually } from '../../server/test/eventually.js';
import { CrashSite } from './crash-site.js';
import type { Customer } from './create-customer.js';
import { countOpenHolds, findBookFaults } from './find-book-faults.js';
import type { SeenCall, WantedCall } from './make-call.js';

/** Longer than the ledger waits for its database. */
const standstillMs = 3_000;
/** Fewer on a machine that is slow already: what it cannot answer in time without standing still is refused, and says nothing here. */
const callers = Math.max(20, Math.round(100 / Number(process.env.TOLLGATE_WAIT_FACTOR ?? 1)));

/*
 * A machine that is suspended, moved to another host or starved: nothing of the server runs, while callers go on arriving. What
 * is stopped here is its process.
 */
describeOnEachDatabase('a server that stands still under load', (openTestDatabase) => {
  let site: CrashSite;
  afterEach(() => site?.close());

  it('takes its database for no worse than before: every call is answered whole, charged at once, and told its price', async () => {
    const { address } = await openTestDatabase();
    site = await CrashSite.open(address, { customers: 4, settings: { CONCURRENT_CALLS: '10000' } });
    const call = (index: number) => site.call(site.customers[index % 4] as Customer, wanted(index));
    let isOver = false;
    const callOnAndOn = async (index: number) => {
      const seen: SeenCall[] = [];
      while (!isOver) seen.push(await call(index));
      return seen;
    };
    const running = Array.from({ length: callers }, (_, index) => callOnAndOn(index));
    await sleep(500);
    process.kill(site.stack.pid, 'SIGSTOP');
    const arriving = Array.from({ length: 3 * callers }, (_, index) => call(index));
    await sleep(standstillMs);
    process.kill(site.stack.pid, 'SIGCONT');
    isOver = true;
    const seen = [...(await Promise.all(arriving)), ...(await Promise.all(running)).flat()];

    expect(seen.filter(({ outcome, wasPriceTold }) => outcome !== 'whole' || !wasPriceTold)).toEqual([]);
    expect(site.stack.log.filter(({ event }) => event === 'call_settlement_kept')).toEqual([]);
    expect(await countOpenHolds(address, 'of calls')).toBe(0);
    await eventually(async () => (await countOpenHolds(address)) === 0, 100);
    expect(await findBookFaults(address, site)).toEqual([]);
  }, 60_000);
});

function wanted(index: number): WantedCall {
  return { model: 'gpt-4o-mini', isStreamed: index % 2 === 0, tokens: 5, delayMs: 0, leaveAfterBytes: null };
}
