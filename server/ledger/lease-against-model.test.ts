import { describeOnEachDatabase } from '../test/each-database.js';
import { endlessDoubt, LeaseRun } from '../test/lease-run.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { SeededChoices } from '../test/seeded-choices.js';

const seed = Number(process.env.LEASE_SEED ?? Math.floor(Math.random() * 2 ** 31));
const operationsWanted = Number(process.env.LEASE_OPERATIONS ?? 800);
const compareEvery = 200;

describeOnEachDatabase(`Leases against an independent model, LEASE_SEED=${seed}`, (openTestDatabase) => {
  it.each([1, 2, 4])(
    `keep every promise over ${operationsWanted} random operations of instances, %s of them`,
    async (instances) => {
      const fixture = await LedgerFixture.open(await openTestDatabase(), endlessDoubt);
      const run = new LeaseRun(fixture, new SeededChoices(seed));
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
      // It was about leases.
      expect(await fixture.countRows('call_record', 'lease IS NOT NULL')).toBeGreaterThan(0);
      if (process.env.LEASE_OPERATIONS) console.info(JSON.stringify({ seed, instances, ...run.counts }));
      await fixture.close();
    },
    Math.max(60_000, operationsWanted * 40),
  );
});
