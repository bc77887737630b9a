import { describeOnEachDatabase } from '../../test/each-database.js';
import { LeaseRun } from '../../test/lease-run.js';
import { endlessDoubt } from '../../test/lease-run-parts.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { SeededChoices } from '../../test/seeded-choices.js';

const seed = Number(process.env.LEASE_SEED ?? Math.floor(Math.random() * 2 ** 31));
const operationsWanted = Number(process.env.LEASE_OPERATIONS ?? 800);
const compareEvery = 200;
/** A few seeds freeze or empty every wallet early, and say little of leases. This one does not. */
const seedOfLeases = 12;

describeOnEachDatabase(`Leases against an independent model, LEASE_SEED=${seed}`, (openTestDatabase) => {
  /** How many calls were let in by leases, and how many leases were for limited keys. */
  async function runOnce(ofSeed: number, instances: number): Promise<{ leasedCalls: number; leasesOfKeys: number }> {
    const fixture = await LedgerFixture.open(await openTestDatabase(), endlessDoubt);
    try {
      const run = new LeaseRun(fixture, new SeededChoices(ofSeed));
      await run.open(4, instances);
      let compared = 0;
      for (let done = 0; done < operationsWanted && run.faults.length === 0; ) {
        done += await run.step();
        if (done - compared < compareEvery) continue;
        compared = done;
        await run.compare();
      }
      await run.close();
      expect(run.faults).toEqual([]);
      if (process.env.LEASE_OPERATIONS) console.info(JSON.stringify({ seed: ofSeed, instances, ...run.counts }));
      return {
        leasedCalls: await fixture.countRows('call_record', 'lease IS NOT NULL'),
        leasesOfKeys: await fixture.countRows('wallet_lease', 'key_id IS NOT NULL AND calls > 0'),
      };
    } finally {
      await fixture.close();
    }
  }
  const timeoutMs = Math.max(60_000, operationsWanted * 40);

  it.each([1, 2, 4])(
    `keep every promise over ${operationsWanted} random operations of instances, %s of them`,
    async (instances) => void (await runOnce(seed, instances)),
    timeoutMs,
  );

  it(
    'are what those operations are about',
    async () => {
      const { leasedCalls, leasesOfKeys } = await runOnce(seedOfLeases, 2);
      expect(leasedCalls).toBeGreaterThan(10);
      expect(leasesOfKeys).toBeGreaterThan(0);
    },
    timeoutMs,
  );
});
