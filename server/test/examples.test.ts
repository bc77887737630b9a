import { execFile, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findRepositoryRoot } from './architecture/source-tree.js';
import { TestApp } from './create-test-app.js';
import { describeOnEachDatabase } from './each-database.js';
import { findKeyId } from './test-keys.js';

const folder = join(findRepositoryRoot(import.meta.dirname), 'docs/examples');
const languages = [
  { name: 'a shell', program: 'bash', needs: ['bash', 'curl'], extension: 'sh' },
  { name: 'Node.js', program: process.execPath, needs: [], extension: 'mjs' },
  { name: 'Python', program: 'python3', needs: ['python3'], extension: 'py' },
] as const;

/** What each example must have, whatever its language. */
const examples = ['buy-credits', 'limit-key', 'read-usage', 'rotate-key'];

const isInstalled = (program: string) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

it('exist in every language, and none is forgotten here', () => {
  const expected = examples.flatMap((example) => languages.map(({ extension }) => `${example}.${extension}`));
  expect(readdirSync(folder).filter((file) => file !== 'README.md')).toEqual(expected.toSorted());
});

for (const { name, program, needs, extension } of languages) {
  const missing = needs.filter((needed) => !isInstalled(needed));
  if (missing.length > 0 && process.env.CI === 'true')
    throw new Error(`CI is set, and this machine has no ${missing}.`);
  const describeWhereInstalled = missing.length === 0 ? describe : describe.skip;
  describeWhereInstalled(`the examples for ${name}`, () => {
    describeOnEachDatabase('run against a server', (openTestDatabase) => {
      const app = TestApp.forAll(openTestDatabase, { MAX_KEYS_PER_ACCOUNT: '10' });
      const account = app.accountForAll(5);

      const run = (example: string, args: readonly string[] = [], token = account.sessionToken) =>
        new Promise<{ exitCode: number; output: string }>((resolve) => {
          const env = { PATH: process.env.PATH, TOLLGATE_URL: app.baseUrl, TOLLGATE_TOKEN: token };
          const file = join(folder, `${example}.${extension}`);
          execFile(program, [file, ...args], { env, timeout: 25_000 }, (error, stdout, stderr) => {
            resolve({ exitCode: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr });
          });
        });

      it('read this month’s usage by model', async () => {
        const messages = [{ role: 'user', content: 'Hello' }];
        for (const model of ['gpt-4o-mini', 'demo-small'])
          await (await app.call(account.secret, { model, messages })).text();
        const { exitCode, output } = await run('read-usage');
        expect(output).toContain('gpt-4o-mini');
        expect(output).toContain('demo-small');
        expect(output).toMatch(/total"?:.*\b2\b/);
        expect(exitCode).toBe(0);
        expect((await run('read-usage', [], 'wrong')).exitCode).not.toBe(0);
      });

      it('buy credits', async () => {
        const { posted } = await app.findWallet(account.accountId);
        const { exitCode, output } = await run('buy-credits', ['7']);
        expect(output).toMatch(/pur_[0-9A-Z]{26}.*PAID/);
        expect(exitCode).toBe(0);
        expect((await app.findWallet(account.accountId)).posted).toBe(posted + 7_000_000);
        expect((await run('buy-credits', ['1'])).exitCode).not.toBe(0);
      });

      const body = { model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }] };
      const callBy = async (secret: string) => {
        const response = await app.call(secret, body);
        await response.text();
        return response.status;
      };
      const findSecret = (output: string) => /sk-tg-[0-9A-Za-z]+/.exec(output)?.[0] ?? '';

      it('make a key with a spend limit', async () => {
        const { exitCode, output } = await run('limit-key', ['batch jobs', '500']);
        expect(output).toMatch(/key_[0-9A-Z]{26}/);
        expect(exitCode).toBe(0);
        const secret = findSecret(output);
        expect(await callBy(secret)).toBe(200);
        const query = '{ apiKeys { name scopes spendLimit spendPeriod } }';
        const { apiKeys } = await app.graphql<{ apiKeys: object[] }>(query, {}, account.sessionToken);
        const expected = { name: 'batch jobs', scopes: ['CHAT'], spendLimit: 500, spendPeriod: 'MONTH' };
        expect(apiKeys[0]).toEqual(expected);
        expect((await run('limit-key', ['batch jobs', '-1'])).exitCode).not.toBe(0);
        // What it made may not make another.
        expect((await run('limit-key', ['batch jobs', '500'], secret)).exitCode).not.toBe(0);
      });

      it('make a key of any name, and say what is wrong where the account may have no other', async () => {
        const name = 'my "odd" \\ key & more';
        expect((await run('limit-key', [name, '5'])).exitCode).toBe(0);
        const { apiKeys } = await app.graphql<{ apiKeys: object[] }>('{ apiKeys { name } }', {}, account.sessionToken);
        expect(apiKeys).toContainEqual({ name });
        const owner = await app.createAccount(5);
        const create = 'mutation ($name: String!) { createApiKey(input: { name: $name }) { secret } }';
        for (const other of '123456789') await app.graphql(create, { name: other }, owner.sessionToken);
        const { exitCode, output } = await run('limit-key', [name, '5'], owner.sessionToken);
        expect([exitCode === 0, output]).toEqual([false, expect.stringContaining('may have no more than that')]);
      });

      it('rotate a key, of which both secrets work meanwhile', async () => {
        const owner = await app.createAccount(5);
        const { exitCode, output } = await run('rotate-key', [await findKeyId(app, owner)], owner.sessionToken);
        expect(output).toMatch(/graceEndsAt":"|the old one ends at 2/);
        expect(exitCode).toBe(0);
        const secret = findSecret(output);
        expect(secret).not.toBe(owner.secret);
        expect([await callBy(secret), await callBy(owner.secret)]).toEqual([200, 200]);
        expect((await run('rotate-key', ['key_none'], owner.sessionToken)).exitCode).not.toBe(0);
      });
    });
  });
}
