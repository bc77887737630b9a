import type { DatabaseAddress } from '../../server/database/database-address.js';
import { eventually } from '../../server/test/eventually.js';
import { CrashSite } from '../crash/crash-site.js';
import { countOpenHolds } from '../crash/find-book-faults.js';
import type { SeenCall } from '../crash/make-call.js';

interface CallPlan {
  readonly settings: Readonly<Record<string, string>>;
  /** Of each call. */
  readonly isStreamed: readonly boolean[];
  readonly tokens: number;
  readonly delayMs: number;
}

/** Starts a server, has one customer make these calls, acts while all of them run, and ends the server however that went. */
export async function duringCalls<Result>(
  address: DatabaseAddress,
  { settings, isStreamed: kinds, ...pace }: CallPlan,
  act: (site: CrashSite, calling: readonly Promise<SeenCall>[]) => Promise<Result>,
): Promise<Result> {
  // Its calls are counted by their holds, so that each has one.
  const all = { CONCURRENT_CALLS: '1000', CREDIT_LEASES: 'off', ...settings };
  const site = await CrashSite.open(address, { customers: 1, settings: all });
  try {
    const [customer] = site.customers;
    if (customer === undefined) throw new Error('nobody calls');
    const call = { model: 'gpt-4o-mini', leaveAfterBytes: null, ...pace } as const;
    const calling = kinds.map((isStreamed) => site.call(customer, { ...call, isStreamed }));
    await eventually(async () => (await countOpenHolds(address)) >= calling.length, 20);
    return await act(site, calling);
  } finally {
    await site.kill().catch(() => {});
    await site.close();
  }
}
