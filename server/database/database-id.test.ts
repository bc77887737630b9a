import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { findDatabaseId, getDatabaseId } from './database-id.js';
import { UnitOfWork } from './unit-of-work.js';

describeOnEachDatabase('The id of a database', (openTestDatabase) => {
  it('is one for all that ask first at the same moment, stays, and is another elsewhere', async () => {
    const fixtures = [
      await LedgerFixture.open(await openTestDatabase()),
      await LedgerFixture.open(await openTestDatabase()),
    ];
    const ids: string[] = [];
    for (const { source } of fixtures) {
      expect(await findDatabaseId(source.manager)).toBeNull();
      const unitOfWork = new UnitOfWork(source);
      const found = await Promise.all(Array.from({ length: 8 }, () => getDatabaseId(unitOfWork)));
      expect(new Set(found).size).toBe(1);
      expect(await findDatabaseId(source.manager)).toBe(found[0]);
      ids.push(...found.slice(0, 1));
    }
    expect(ids).toEqual([expect.stringMatching(/^inst_[0-9A-Z]{26}$/), expect.not.stringMatching(String(ids[0]))]);
    for (const fixture of fixtures) await fixture.close();
  });
});
