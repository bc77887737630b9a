import { mock } from 'node:test';
import { findLedgerViolations } from '../ledger/checks/check-ledger.js';
import { describeOnEachDatabase } from './each-database.js';
import { LedgerFixture } from './ledger-fixture.js';
import { repetitions } from './sample.js';
import { SeededChoices } from './seeded-choices.js';
import { SumsCheck } from './sums-check.js';
import { SumsRun } from './sums-run.js';

const seed = Number(process.env.SUMS_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** `SUMS_STEPS=3000` for a long run. */
const steps = Number(process.env.SUMS_STEPS ?? repetitions({ usual: 60, all: 200 }));

describeOnEachDatabase(`What is summed and removed, SUMS_SEED=${seed}`, (openTestDatabase) => {
  it(
    `comes to all receipts that were ever written, over ${steps} steps of calls, jobs, restarts and clocks that are set`,
    async () => {
      const fixture = await LedgerFixture.open(await openTestDatabase());
      const run = new SumsRun(fixture, new SeededChoices(seed));
      const check = new SumsCheck(run);
      // Ids are made by it, too.
      const clock = mock.method(Date, 'now', () => run.clock.nowMs());
      try {
        await run.open();
        for (let step = 0; step < steps; step += 1) {
          await run.step();
          const isThorough = step % 10 === 9 || step === steps - 1;
          const faults = [...(await check.findFaults({ isThorough }))];
          if (isThorough)
            faults.push(...(await findLedgerViolations(fixture.source.manager)).map((one) => JSON.stringify(one)));
          expect({ step, faults }).toEqual({ step, faults: [] });
        }
        await run.close();
      } finally {
        clock.mock.restore();
      }
      if (process.env.SUMS_STEPS) console.info(JSON.stringify({ seed, ...run.counts, ...check.counts }));
      await fixture.close();
    },
    60_000 + steps * 2_000,
  );
});
