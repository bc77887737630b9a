import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buildSchema, parse, validate } from 'graphql';
import { findRepositoryRoot } from '../test/architecture/source-tree.js';
import { answerOf } from '../test/cookie-browser.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { FactorApp } from '../test/factor-app.js';
import { TestOperator } from '../test/operator-desk.js';
import { runProgram } from '../test/run-program.js';
import { makeTestFolder } from '../test/test-folder.js';
import { runWarmProgram } from '../test/warm-programs.js';
import { remoteCommands } from './remote-commands.js';
import { findRemoteDoor } from './remote-door.js';

/** What works on the server's own machine alone, and why. */
const localCommands: Readonly<Record<string, string>> = {
  'account delete': 'only people may',
  'account export': 'only people may',
  'wallet open': 'as account open',
  'wallet freeze': 'as account freeze',
  'operator invite': 'only people may',
  'operator renew': 'only people may',
  'operator disable': 'only people may',
  'retention set': 'only people may',
  'provider set': 'only people may',
  'provider remove': 'only people may',
  'provider add-key': 'its key is read from standard input, and goes to nobody but the machine that seals it',
  'maintenance end': 'finds what is to be ended in the database; from afar: announcement end',
  'upgrade finished': 'is about servers beside this one',
  'upgrade begun': 'is about servers beside this one',
  'verification-link': 'lets somebody in',
  'password-reset-link': 'lets somebody in',
  'email-change-link': 'lets somebody in',
  'invitation-link': 'lets somebody in',
  'secrets reseal': 'needs the keys of the machine',
  'database move': 'needs the files of the machine',
  backup: 'needs the files of the machine',
  restore: 'needs the files of the machine',
  doctor: 'looks at the machine',
  'usage mend': 'goes over all receipts, which takes longer than a request may',
  'completion bash': 'asks nobody',
  'completion zsh': 'asks nobody',
  help: 'asks nobody',
};

describe('The server that commands are for', () => {
  const TOLLGATE_URL = 'https://tollgate.example.com';
  const [url, TOLLGATE_TOKEN_FILE] = [new URL(TOLLGATE_URL), '/tmp/token'];
  const find = (words: string, environment: Record<string, string>) => findRemoteDoor(words.split(' '), environment);

  it('is this machine where the settings name an address without a token, as for what calls the API', async () => {
    expect(find('backup /folder', { TOLLGATE_URL })).toBeNull();
    expect(find('doctor', { TOLLGATE_URL, TOLLGATE_TOKEN_FILE: '' })).toBeNull();
    expect(find('doctor', { TOLLGATE_TOKEN_FILE })).toBeNull();
    const missing = { kind: 'sqlite', file: join(makeTestFolder('nothing'), 'none.db') } as const;
    const words = ['backup', join(makeTestFolder('copy'), 'here')];
    const { log } = await runProgram('tollgate.js', missing, { words, settings: { TOLLGATE_URL } });
    expect(log).toContain('DATABASE_URL');
  });

  it('is the one that is typed, or that the settings name with a token; half of one is refused in words', () => {
    const door = { url, tokenFile: TOLLGATE_TOKEN_FILE, words: ['status'] };
    expect(find('status', { TOLLGATE_URL, TOLLGATE_TOKEN_FILE })).toEqual(door);
    expect(find(`--token-file ${TOLLGATE_TOKEN_FILE} status`, { TOLLGATE_URL })).toEqual(door);
    expect(find(`--url ${TOLLGATE_URL} status`, { TOLLGATE_TOKEN_FILE })).toEqual(door);
    expect(() => find(`--url ${TOLLGATE_URL} status`, {})).toThrow('with --token-file');
    expect(() => find(`--token-file ${TOLLGATE_TOKEN_FILE} status`, {})).toThrow('with --url');
  });
});

describe('Commands from afar', () => {
  const schema = buildSchema(readFileSync(join(findRepositoryRoot(import.meta.dirname), 'schema.graphql'), 'utf8'));

  it.each(Object.entries(remoteCommands))('%s asks what the API answers', (_, { document }) => {
    expect(validate(schema, parse(document))).toEqual([]);
  });

  it('are those of the machine, but for the ones that have a reason', async () => {
    const file = join(makeTestFolder('nothing'), 'none.db');
    // Whatever server is named: completion and help ask none.
    const settings = { TOLLGATE_URL: 'https://tollgate.example.com' };
    const words = ['completion', 'bash'];
    const { output } = await runProgram('tollgate.js', { kind: 'sqlite', file }, { words, settings });
    const local = [...output.matchAll(/^ {4}"([a-z -]+)" \| "\1 "\*\)/gm)].map(([, name]) => String(name));
    expect(local.length).toBeGreaterThan(60);
    const ours = [
      ...Object.keys(remoteCommands).filter((name) => name !== 'prices preview'),
      ...Object.keys(localCommands),
    ];
    expect(ours.toSorted()).toEqual(local.toSorted());
  });
});

describeOnEachDatabase('npm run tollgate -- --url', (openTestDatabase) => {
  const of = FactorApp.forAll(openTestDatabase);
  const owner = TestOperator.forAll(of, 'owner');
  let tokenFile: string;

  beforeAll(async () => {
    await owner.prove();
    const token = { name: 'Far away', role: 'OWNER', days: 2, reason: 'A script' };
    const made = answerOf<{ createToken: string }>(await owner.change('createToken(input: $token)', { token }));
    tokenFile = join(makeTestFolder('token'), 'token');
    writeFileSync(tokenFile, `${made.createToken}\n`, { mode: 0o600 });
  }, 60_000);

  /** A machine that has neither the server's database nor its settings. */
  const run = (words: readonly string[], { url = of.app.baseUrl, file = tokenFile } = {}) =>
    runWarmProgram(
      'tollgate.js',
      { kind: 'sqlite', file: join(makeTestFolder('nothing'), 'none.db') },
      { words: ['--url', url, '--token-file', file, ...words] },
    );

  it('does there what the same command does on the machine, with the token in the log', async () => {
    const { accountId } = await of.app.createAccount(5);
    const found = await run(['account', 'find', accountId, '--json']);
    expect(JSON.parse(found.output)).toMatchObject({ accounts: [{ account: { id: accountId } }] });
    const reason = ['--reason', 'From far away'];
    const given = await run(['account', 'grant', accountId, '--credits', '2.5', '--once', 'w-1', ...reason, '--json']);
    expect(JSON.parse(given.output)).toMatchObject({ grantCredits: { isMoved: true, available: 5_002.5 } });
    const again = await run(['account', 'grant', accountId, '--credits', '2.5', '--once', 'w-1', ...reason, '--json']);
    expect(JSON.parse(again.output)).toMatchObject({ grantCredits: { available: 5_002.5 } });
    const here = ['account', 'grant', accountId, '--credits', '2.5', '--once', 'w-1', ...reason];
    const repeat = `${accountId}: done before with this --once; nothing was moved. 5002.500 credits are available now.\n`;
    const atMachine = await runProgram('tollgate.js', of.app.database.address, { words: here });
    expect([atMachine.output, (await run(here)).output]).toEqual([repeat, repeat]);
    expect(await run(['account', 'freeze', accountId, ...reason])).toMatchObject({ exitCode: 0, output: 'done\n' });
    expect((await run(['account', 'show', accountId])).output).toContain('wallet isFrozen: yes');
    await run(['account', 'open', accountId, ...reason]);
    await run(['limit', 'set', accountId, '--requests', '7', ...reason]);
    expect((await run(['limit', 'show', accountId])).output).toContain('requestsPerMinute: 7');
    await run(['account', 'mark', accountId, '--kind', 'gift-farming', '--note', 'Five of them']);
    expect((await run(['account', 'marks'])).output).toContain(`${accountId}  kind GIFT_FARMING  note Five of them`);
    const rows = await of.app.query(
      `SELECT action, actor FROM operator_event WHERE account_id = '${accountId}' ORDER BY id`,
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'grant',
      'freeze',
      'open',
      'set_account_limits',
      'set_risk_mark',
    ]);
    for (const { actor } of rows) expect(actor).toMatch(/, token Far away \(op_\w+\)$/);
  }, 60_000);

  it('makes, lists and revokes gift codes there, each with a reason in the log', async () => {
    const create = ['gift-code', 'create', '--credits', '12.5', '--count', '2', '--expires', '2099-12-31'];
    expect(await run(create)).toMatchObject({ exitCode: 1, output: '' });
    const order = [...create, '--reason', 'From far away', '--once', 'spring', '--json'];
    const made = await run(order);
    expect((await run(order)).output).toBe(made.output);
    const { createGiftCodes: codes } = JSON.parse(made.output) as { createGiftCodes: { id: string; code: string }[] };
    expect(codes.map(({ code }) => code)).toEqual(
      Array(2).fill(expect.stringMatching(/^([2-9A-Z]{5}-){3}[2-9A-Z]{5}$/)),
    );
    const id = String(codes[0]?.id);
    expect(await run(['gift-code', 'revoke', id, '--reason', 'No longer'])).toMatchObject({ output: 'done\n' });
    const { output } = await run(['gift-code', 'list']);
    expect(output).toContain(`id ${id}  hint ${codes[0]?.code.slice(-4)}  credits 12.5  state REVOKED`);
    expect(output).toContain(`id ${codes[1]?.id}  hint ${codes[1]?.code.slice(-4)}  credits 12.5  state OPEN`);
    const rows = await of.app.query(`SELECT action, reason FROM operator_event WHERE action LIKE '%gift%' ORDER BY id`);
    expect(rows).toEqual([
      { action: 'create_gift_codes', reason: 'From far away' },
      { action: 'revoke_gift_code', reason: 'No longer' },
    ]);
  }, 60_000);

  it('reads status, money and prices, and looks at prices without setting them', async () => {
    expect(JSON.parse((await run(['status', '--json'])).output)).toHaveProperty('watch.processes');
    const usage = await run(['money', 'usage', '--month', '2026-01', '--by', 'account', '--json']);
    expect(JSON.parse(usage.output)).toMatchObject({ money: { usage: { total: { name: 'total', calls: 0 } } } });
    expect((await run(['money', 'close', '--month', '2026-01'])).output).toMatch(/^day,opening,/);
    const prices = join(makeTestFolder('prices'), 'prices.yaml');
    writeFileSync(prices, 'tiers: { gold: 9 }\nmodels: { gpt-4o-mini: { tier: gold } }\n');
    const look = await run(['prices', 'apply', prices, '--dry-run', '--json']);
    expect(JSON.parse(look.output)).toMatchObject({ previewPrices: [{ modelId: 'gpt-4o-mini', tierAfter: 'gold' }] });
    expect(await of.app.query('SELECT COUNT(*) AS n FROM price_version')).toMatchObject([{ n: expect.anything() }]);
    expect(Number((await of.app.query('SELECT COUNT(*) AS n FROM price_version'))[0]?.n)).toBe(0);
  }, 60_000);

  it('says in one line what is wrong and what to do, with a status that scripts can tell', async () => {
    const lineOf = async (words: readonly string[], where: Parameters<typeof run>[1] = {}) => {
      const { exitCode, log, output } = await run(words, where);
      expect([output, log]).not.toContainEqual(expect.stringMatching(/\n +at /));
      return `${exitCode} ${log.trimEnd().split('\n').at(-1)}`;
    };
    const find = ['account', 'find', 'ada'];
    expect(await lineOf(['account', 'delete', 'acct_1', '--email', 'a@b.test', '--reason', 'no'])).toMatch(
      /^1 account delete is not available remotely/,
    );
    expect(await lineOf(['doctor'])).toMatch(/^1 doctor is not available remotely/);
    expect(await lineOf(['account', 'freeze', 'acct_1'])).toBe('1 Name --reason.');
    expect(await lineOf(['account', 'freeze', 'acct_nobody', '--reason', 'From far away'])).toMatch(/^1 .*account/);
    // The words are well-formed, so usage would not help.
    for (const words of [['doctor'], ['account', 'freeze', 'acct_nobody', '--reason', 'From far away']])
      expect((await run(words)).log).not.toContain('Usage:');
    expect((await run(['account', 'freeze', 'acct_1'])).log).toContain('Usage:');
    expect(await lineOf(find, { url: 'http://tollgate.example.com' })).toMatch(/^1 --url has to begin with https/);
    expect(await lineOf(find, { url: 'tollgate' })).toMatch(/^1 --url is an address such as/);
    expect(await lineOf(find, { url: 'http://127.0.0.1:1' })).toMatch(/^2 .*http:\/\/127\.0\.0\.1:1 gave no answer: /);
    const folder = makeTestFolder('token');
    const wrong = join(folder, 'wrong');
    writeFileSync(wrong, `op-tg-${'x'.repeat(43)}`, { mode: 0o600 });
    expect(await lineOf(find, { file: wrong })).toMatch(/^2 .*This token has ended, or never was one/);
    writeFileSync(wrong, 'sk-tg-something');
    expect(await lineOf(find, { file: wrong })).toMatch(/^1 --token-file: .* has no operator's token/);
    expect(await lineOf(find, { file: join(folder, 'none') })).toMatch(/^1 --token-file: .* cannot be read/);
    chmodSync(tokenFile, 0o644);
    expect(await lineOf(find)).toMatch(/^0 .* can be read by others on this machine: chmod 600/);
    chmodSync(tokenFile, 0o600);
    let said = '<html>';
    let asked = 0;
    const page = createServer((_, response) => {
      asked += 1;
      response.end(said);
    }).listen(0, '127.0.0.1');
    const url = await new Promise<string>((resolve) =>
      page.once('listening', () => resolve(`http://127.0.0.1:${(page.address() as AddressInfo).port}`)),
    );
    expect(await lineOf(find, { url })).toMatch(/^2 .*gave no answer: what came is no JSON/);
    for (said of ['null', '{}', '{"message":"Bad gateway"}', '{"data":null}', '{"errors":[]}', '{"errors":"no"}'])
      expect([said, await lineOf(find, { url })]).toEqual([
        said,
        expect.stringMatching(/^2 .*no answer of Tollgate's API/),
      ]);
    // Whoever gives credits a second time for a lost answer has given them twice.
    const grant = ['account', 'grant', 'acct_1', '--credits', '5', '--reason', 'A gift'];
    expect(await lineOf(grant, { url })).toMatch(/^2 .*It may have been done: look before you type it again\.$/);
    expect(await lineOf([...grant, '--once', 'A'], { url })).toMatch(/^2 .*It may have been done: type the same again/);
    expect(await lineOf(find, { url })).not.toContain('may have been done');
    asked = 0;
    expect(await lineOf(['purchase', 'refund', 'pur_1', '--reason', 'A look', '--dry-run'], { url })).toMatch(
      /^1 .*--dry-run/,
    );
    expect(asked).toBe(0);
    page.close();
    expect(await lineOf(grant, { url })).toMatch(/^2 .*gave no answer: ECONNREFUSED\. Is this its address\?$/);
  }, 120_000);
});
