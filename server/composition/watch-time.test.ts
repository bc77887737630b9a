import { UnitOfWork } from '../database/unit-of-work.js';
import { FakeClock } from '../kernel/clock.js';
import { silentLogger } from '../kernel/logger.js';
import { describeOnMysql } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { watchTime } from './watch-time.js';

const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;

describeOnMysql('The watch of the clocks', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);

  it.each([yearMs, -yearMs])(
    'takes no time for come that one of both alone says, that of the machine or of the database: %d ms apart',
    async (apartMs) => {
      const clock = new FakeClock(Date.now() + apartMs);
      const time = await watchTime({ unitOfWork: new UnitOfWork(fixture.source), clock, logger: silentLogger });
      const { nowMs } = await time.readTime();
      await time.close();
      expect(nowMs).toBeLessThanOrEqual(Math.min(Date.now() + hourMs, clock.nowMs()));
    },
  );
});
