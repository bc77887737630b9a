import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { testSecretsKey } from '../../test/factor-app.js';
import { KeyedUpstream } from '../../test/keyed-upstream.js';
import { runProgram } from '../../test/run-program.js';
import { makeTestFolder } from '../../test/test-folder.js';
import { runWarmProgram } from '../../test/warm-programs.js';

const key = 'sk-of-the-command-line-0123456789';
const reason = ['--reason', 'A test'];

describeOnEachDatabase('npm run tollgate -- provider and prices', (openTestDatabase) => {
  let upstream: KeyedUpstream;
  const file = join(makeTestFolder('prices'), 'prices.yaml');
  const settings = () => ({
    ...{ LOG_LEVEL: 'warn', SECRETS_KEY: testSecretsKey, OPENAI_BASE_URL: upstream.baseUrl },
    ALLOW_SIMULATED_MONEY_FOR_REAL_PROVIDERS: 'true',
  });
  const run = (words: readonly string[], more: { input?: string; settings?: Record<string, string> } = {}) => {
    const runOne = more.input === undefined ? runWarmProgram : runProgram;
    return runOne('tollgate.js', app.database.address, { words, settings: settings(), ...more });
  };

  beforeAll(async () => {
    upstream = await KeyedUpstream.start();
  });
  const app = TestApp.forAll(openTestDatabase, settings);
  afterAll(() => upstream.close());

  it('keeps a key that it reads from standard input, which a running server then calls with, and takes it out', async () => {
    const added = await run(['provider', 'add-key', 'openai', '--weight', '2', ...reason], { input: `${key}\n` });
    expect([added.exitCode, added.output]).toEqual([0, expect.stringMatching(/^pvk_\w{26}\n$/)]);
    const account = await app.createAccount(5);
    const body = { model: 'gpt-4.1-mini', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 };
    for (let look = 0; upstream.asked.at(-1) !== key && look < 200; look += 1) {
      await (await app.call(account.secret, body)).text();
      await sleep(50);
    }
    expect(upstream.asked.at(-1)).toBe(key);
    const listed = JSON.parse((await run(['provider', 'list', '--json'])).output) as { id: string; keys: object[] }[];
    expect(listed.find(({ id }) => id === 'openai')?.keys).toMatchObject([{ masked: '…6789', weight: 2 }]);
    const tried = await run(['provider', 'test', 'openai', '--json']);
    expect([tried.exitCode, JSON.parse(tried.output)]).toMatchObject([0, { isAnswered: true, completionTokens: 1 }]);
    // A key of the database is one that doctor counts, too.
    const examined = await runProgram('tollgate.js', app.database.address, {
      words: ['doctor', '--json'],
      settings: { SECRETS_KEY: testSecretsKey, DEMO_PROVIDER: 'off', LOG_LEVEL: 'warn' },
    });
    const findings = JSON.parse(examined.output) as { check: string; standing: string; text: string }[];
    expect(findings.find(({ check }) => check === 'models')).toMatchObject({
      ...{ standing: 'ok', text: expect.stringContaining('can be called') },
    });
    upstream.refused.set(key, { status: 401 });
    const refused = await run(['provider', 'test', 'openai']);
    expect([refused.exitCode, refused.output]).toEqual([2, expect.stringContaining('status 401')]);
    expect(added.log + tried.log + refused.output + refused.log).not.toContain(key);
    const gone = await run(['provider', 'remove-key', added.output.trim(), ...reason]);
    expect(gone.exitCode).toBe(0);
    expect(await app.query('SELECT id FROM provider_key')).toEqual([]);
    const [event] = await app.query(`SELECT actor FROM operator_event WHERE action = 'remove_provider_key'`);
    expect(event?.actor).toContain('@');
  }, 60_000);

  it('shows what prices would change, sets them, and says in one line what is wrong with them', async () => {
    writeFileSync(file, 'models: { demo-small: { tier: higher } }');
    const looked = await run(['prices', 'apply', file, '--dry-run']);
    expect([looked.exitCode, looked.output]).toEqual([
      0,
      expect.stringContaining('demo-small  changed  1 -> 2 credits'),
    ]);
    expect(await app.query('SELECT number FROM price_version')).toEqual([]);
    expect((await run(['prices', 'apply', file])).exitCode).toBe(1);
    const set = await run(['prices', 'apply', file, '--json', ...reason]);
    expect([set.exitCode, JSON.parse(set.output)]).toMatchObject([0, { number: 1 }]);
    const listed = JSON.parse((await run(['prices', 'list', '--json'])).output) as { models: object[] };
    const ofDatabase = { modelId: 'demo-small', tier: 'higher', millicreditsPerToken: 2, setIn: 'database' };
    expect(listed.models).toContainEqual(ofDatabase);
    const cost = 'costs: { demo/demo-small: { input: 1, output: 2 } }';
    writeFileSync(file, `models: { demo-small: { tier: higher } }\n${cost}`);
    const cheaper = await run(['prices', 'apply', file, '--dry-run']);
    expect(cheaper.output).toContain('demo-small  changed  2, as before, credits for 1,000 tokens');
    writeFileSync(file, 'models: { demo-small: { tier: nothing } }');
    for (const words of [['--dry-run'], reason, ['--from', 'midnight', ...reason]]) {
      const refused = await run(['prices', 'apply', file, ...words]);
      expect(refused.exitCode).toBe(1);
      expect(refused.log).not.toMatch(/^\s+at /m);
    }
    expect((await run(['prices', 'withdraw', '1', ...reason])).log).toContain('It is in force');
  }, 60_000);

  it('makes price groups and puts accounts into them, which hold for the next call, and says in one line what cannot be', async () => {
    const account = await app.createAccount(5);
    const body = { model: 'demo-large', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 };
    const charge = () => app.chargeOf(account, async () => (await app.call(account.secret, body)).text());
    const before = await charge();
    const made = await run(['price-group', 'create', 'partners', '--multiplier', '500', ...reason]);
    expect([made.exitCode, made.output]).toEqual([0, expect.stringContaining('500 per mille')]);
    const put = await run(['price-group', 'assign', account.accountId, '--group', 'partners', ...reason]);
    expect([put.exitCode, put.output]).toEqual([0, expect.stringContaining('in the price group partners')]);
    expect(await charge()).toBe(before / 2);
    const listed = JSON.parse((await run(['price-group', 'list', '--json'])).output) as object[];
    expect(listed).toMatchObject([{ name: 'partners', multiplier: 500, accountCount: 1 }]);
    for (const words of [
      ['create', 'free', '--multiplier', '0', ...reason],
      ['assign', account.accountId, ...reason],
    ]) {
      const refused = await run(['price-group', ...words]);
      expect([words, refused.exitCode]).toEqual([words, 1]);
      expect(refused.log).not.toMatch(/^\s+at /m);
    }
    if (app.database.address.kind === 'mysql') {
      const begun = await run(['upgrade', 'begun']);
      expect([begun.exitCode, begun.log]).toEqual([1, expect.stringContaining('Accounts are in price groups')]);
    }
  }, 60_000);

  it('refuses a key where nothing could seal it, with the remedy', async () => {
    if (app.database.address.kind === 'sqlite') return;
    const without = { ...settings(), SECRETS_KEY: '' };
    const refused = await run(['provider', 'add-key', 'openai', ...reason], { input: key, settings: without });
    expect([refused.exitCode, refused.log]).toEqual([2, expect.stringContaining('SECRETS_KEY')]);
  }, 60_000);
});
