import { readFileSync } from 'node:fs';
import { eventKinds } from '../audit/event-kinds.js';
import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { findKeyId, revokeKey } from '../test/test-keys.js';

describeOnEachDatabase('What was ended since a backup', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const page = readFileSync('docs/backup.md', 'utf8');
  const [, statements = ''] = /```sql\n([\s\S]*?)```/.exec(page) ?? [];
  const [ofAccounts = '', ofOperators = ''] = statements.replace(/--.*/g, '').split(';');

  it('is named by the statements of the page, as far as the database of before can be read', async () => {
    const account = await app.createAccount(5);
    const [beginMs, keyId] = [Date.now(), await findKeyId(app, account)];
    await revokeKey(app, account);
    const at = (ms: number, sql: string) => app.query(sql.replace('1795316400000', String(ms)));
    expect(await at(beginMs - 60_000, ofAccounts)).toEqual([
      expect.objectContaining({ kind: 'key_revoked', account_id: account.accountId, subject_id: keyId }),
    ]);
    expect(await at(beginMs + 3_600_000, ofAccounts)).toEqual([]);
    expect(await at(beginMs - 60_000, ofOperators)).toEqual([]);
  });

  it('is of kinds that there are', () => {
    const kinds = [...ofAccounts.matchAll(/'(\w+)'/g)].map(([, kind]) => kind);
    expect(kinds.length).toBeGreaterThan(10);
    expect(kinds.filter((kind) => !(String(kind) in eventKinds))).toEqual([]);
  });
});
