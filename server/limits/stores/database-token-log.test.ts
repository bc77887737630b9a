import type { DataSource } from 'typeorm';
import { createDataSource } from '../../database/data-source.js';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { entities, migrations } from '../../entities.js';
import { describeOnMysql } from '../../test/each-database.js';
import { giveSchema } from '../../test/schema-template.js';
import { DatabaseTokenLog } from './database-token-log.js';

describeOnMysql('The log of tokens in the database', (openTestDatabase) => {
  let sources: readonly DataSource[];
  let logs: readonly DatabaseTokenLog[];
  beforeAll(async () => {
    const database = await openTestDatabase();
    await giveSchema(database);
    sources = await Promise.all(
      [1, 2, 3, 4].map(() => createDataSource(database.address, { entities, migrations }).initialize()),
    );
    logs = sources.map((source) => new DatabaseTokenLog(new UnitOfWork(source)));
  });
  afterAll(async () => {
    for (const source of sources) await source.destroy();
  });

  const enter = (index: number, ownerId: string, tokens: number, limit = 1_000) =>
    (logs[index % logs.length] as DatabaseTokenLog).enter({ ownerId, tokens, limit });

  it('lets exactly as many tokens in as the limit has, of a crowd at four instances', async () => {
    const entries = await Promise.all(Array.from({ length: 200 }, (_, index) => enter(index, 'crowd', 10)));
    expect(entries.filter(({ isEntered }) => isEntered)).toHaveLength(100);
    for (const { isEntered, used, roomInMs, emptyInMs } of entries) {
      expect(used).toBeLessThanOrEqual(1_000);
      expect(emptyInMs).toBeGreaterThan(0);
      expect(emptyInMs).toBeLessThanOrEqual(61_000);
      expect(roomInMs > 0).toBe(!isEntered);
    }
  });

  it('is corrected by whoever entered, and forgets what is older than a minute', async () => {
    const first = await enter(0, 'corrected', 900);
    expect(await enter(1, 'corrected', 200)).toMatchObject({ isEntered: false, used: 900 });
    await first.correct(-850);
    expect(await enter(1, 'corrected', 200)).toMatchObject({ isEntered: true, used: 250 });
    const [source] = sources as [DataSource];
    const [row] = await source.query("SELECT seconds FROM token_minute WHERE owner_id = 'corrected'");
    const older = String(row.seconds).replace(/(\d+):/g, (_, second) => `${Number(second) - 61}:`);
    await source.query("UPDATE token_minute SET seconds = ? WHERE owner_id = 'corrected'", [older]);
    expect(await enter(1, 'corrected', 1_000)).toMatchObject({ isEntered: true, used: 1_000 });
    // What it entered has left the window by then.
    await source.query("DELETE FROM token_minute WHERE owner_id = 'corrected'");
    await first.correct(850);
    expect(await enter(2, 'corrected', 1)).toMatchObject({ isEntered: true, used: 1 });
  });

  it('refuses nobody for tokens of before the clock was set back by hours, and never for longer than a window', async () => {
    const [source] = sources as [DataSource];
    const setBack = async (bySeconds: number) => {
      const [row] = await source.query("SELECT seconds FROM token_minute WHERE owner_id = 'set back'");
      const ahead = String(row.seconds).replace(/(\d+):/g, (_, second) => `${Number(second) + bySeconds}:`);
      await source.query("UPDATE token_minute SET seconds = ? WHERE owner_id = 'set back'", [ahead]);
    };
    await enter(0, 'set back', 1_000);
    await setBack(30);
    const refused = await enter(1, 'set back', 1);
    expect(refused).toMatchObject({ isEntered: false, used: 1_000 });
    expect(Math.max(refused.roomInMs, refused.emptyInMs)).toBeLessThanOrEqual(61_000);
    await setBack(7_200);
    expect(await enter(2, 'set back', 1)).toMatchObject({ isEntered: true, used: 1 });
  });
});
