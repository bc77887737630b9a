import { TestApp } from '../test/create-test-app.js';
import { openSqliteDatabase } from '../test/each-database.js';
import { postGraphql } from '../test/post-graphql.js';

const token = 'a-token-of-the-operator';

describe('A server that removes old receipts', () => {
  it.each([
    [{ RETENTION_DAYS: '400' }, 400],
    [{}, null],
  ])('tells accounts how long they are kept, and its operator when it last looked: %j', async (settings, days) => {
    const app = await TestApp.start(await openSqliteDatabase(), { METRICS_TOKEN: token, ...settings });
    try {
      const { secret } = await app.createAccount();
      const asked = await postGraphql(
        app.baseUrl,
        { query: '{ viewer { receiptsKeptDays } }' },
        { authorization: `Bearer ${secret}` },
      );
      expect(await asked.json()).toEqual({ data: { viewer: { receiptsKeptDays: days } } });
      const headers = { authorization: `Bearer ${token}` };
      const figures = await (await fetch(`${app.baseUrl}/metrics`, { headers })).text();
      expect(figures.includes('tollgate_job_last_done_timestamp_seconds{job_name="receipts"}')).toBe(true);
    } finally {
      await app.close();
    }
  });
});
