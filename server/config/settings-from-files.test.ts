import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTollgateFile } from '../providers/settings/tollgate-file.js';
import { findConfigFaults } from '../test/find-config-faults.js';
import { runProgram } from '../test/run-program.js';
import { makeTestFolder } from '../test/test-folder.js';
import { loadConfig } from './config.js';

/** Every secret that a server may be given, each well formed, with the way in which it is found in the settings. */
const secrets: Readonly<Record<string, string>> = {
  DATABASE_URL: 'mysql://someone:canary-one@db.example.com/tollgate',
  REDIS_URL: 'redis://someone:canary-two@cache.example.com:6379/0',
  METRICS_TOKEN: 'canary-three-of-a-token',
  OTEL_EXPORTER_OTLP_HEADERS: 'x-token=canary-nine',
  SMTP_URL: 'smtp://someone:canary-four@mail.example.com:587',
  STRIPE_SECRET_KEY: 'sk_test_canaryfive0000',
  STRIPE_WEBHOOK_SECRET: 'whsec_canarysix00000000000',
  OPENAI_API_KEY: 'sk-canary-seven',
  ANTHROPIC_API_KEY: 'sk-canary-eight',
};
const companions = { MAIL_FROM: 'a@example.com', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

/** Of the user whom nothing belongs to; the administrator may read every file. */
const nobodysId = 65_534;

describe('a secret setting', () => {
  const folder = makeTestFolder('secrets');
  const write = (name: string, content: string | Buffer) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };

  it('of every kind may stand in a file, and then means what it means in the environment', () => {
    const files = Object.entries(secrets).map(([name, value]) => [`${name}_FILE`, write(name, `${value}\n`)] as const);
    const fromFiles = loadConfig({ ...companions, ...Object.fromEntries(files) }, () => null);
    const fromEnvironment = loadConfig({ ...companions, ...secrets }, () => null);
    expect(fromFiles).toEqual(fromEnvironment);
    expect(fromFiles.stripe?.secretKey.reveal()).toBe(secrets.STRIPE_SECRET_KEY);
    expect(fromFiles.stripe?.webhookSecrets[0]?.reveal()).toBe(secrets.STRIPE_WEBHOOK_SECRET);
    expect(fromFiles.metricsToken?.reveal()).toBe(secrets.METRICS_TOKEN);
    expect(fromFiles.tracing?.headers.get('x-token')?.reveal()).toBe('canary-nine');
    expect(fromFiles.redisUrl?.reveal()).toBe(secrets.REDIS_URL);
    expect(fromFiles.mail?.smtpUrl.reveal()).toBe(secrets.SMTP_URL);
    expect(fromFiles.providers.openai?.apiKey?.reveal()).toBe(secrets.OPENAI_API_KEY);
    expect(fromFiles.providers.anthropic?.apiKey?.reveal()).toBe(secrets.ANTHROPIC_API_KEY);
    if (fromFiles.database.kind !== 'mysql') throw new Error('The address was not read.');
    expect(fromFiles.database.url.reveal()).toBe(secrets.DATABASE_URL);
  });

  it('is read through a link, as Kubernetes lays files out, and without one line break at its end', () => {
    symlinkSync(write('target', 'sk-one\r\n'), join(folder, 'link'));
    const config = loadConfig({ OPENAI_API_KEY_FILE: join(folder, 'link') }, () => null);
    expect(config.providers.openai?.apiKey?.reveal()).toBe('sk-one');
  });

  it('is not set by a file whose name is left empty', () => {
    expect(findConfigFaults({ OPENAI_API_KEY_FILE: '', DATABASE_URL_FILE: '' })).toEqual([]);
    expect(findConfigFaults({ OPENAI_API_KEY: '', OPENAI_API_KEY_FILE: write('key', 'sk-one') })).toEqual([]);
  });

  it.each(Object.keys(secrets))('%s, set in both ways, is one line that says so', (name) => {
    const both = { ...companions, ...secrets, [`${name}_FILE`]: write('both', 'canary') };
    expect(findConfigFaults(both)).toEqual([`${name} and ${name}_FILE are both set: take one of them out`]);
  });

  it.each([
    ['missing', () => join(folder, 'missing'), /cannot be read \(ENOENT.*\): name one that this user may read$/],
    ['a folder', () => folder, /cannot be read \(it is a folder\): name one/],
    ['a device', () => '/dev/zero', /cannot be read \(it is no ordinary file\): name one/],
    ['too large', () => write('large', 'x'.repeat(40_000)), /cannot be read \(it is larger than 32768 bytes\)/],
    ['empty', () => write('empty', ''), /is empty: write the value of OPENAI_API_KEY into it$/],
    ['a line break alone', () => write('blank', '\n'), /is empty: write the value of OPENAI_API_KEY into it$/],
    [
      'no name at all',
      () => 'a\nb',
      /^OPENAI_API_KEY_FILE holds a line break or another control character: take it out$/,
    ],
  ])('whose file is %s is one line that names setting, file and remedy', (_, makeFile, line) => {
    const file = makeFile();
    const faults = findConfigFaults({ OPENAI_API_KEY_FILE: file });
    expect(faults).toEqual([expect.stringMatching(line)]);
    expect(faults[0]).toMatch(/^OPENAI_API_KEY_FILE[^\n]*$/);
    if (!file.includes('\n')) expect(faults[0]).toContain(file);
  });

  it('whose file this user may not read is one line', () => {
    const file = write('closed', 'sk-one');
    chmodSync(folder, 0o755);
    chmodSync(file, 0);
    const becomeNobody = process.getuid?.() === 0;
    if (becomeNobody) process.seteuid?.(nobodysId);
    try {
      expect(findConfigFaults({ OPENAI_API_KEY_FILE: file })).toEqual([expect.stringMatching(/EACCES.*name one/)]);
    } finally {
      if (becomeNobody) process.seteuid?.(0);
    }
  });

  it.each([
    ['OPENAI_API_KEY', 'sk one', /^OPENAI_API_KEY \(in .*\/value\) holds a space/],
    ['OPENAI_API_KEY', 'sk-one\n\n', /^OPENAI_API_KEY \(in .*\/value\) holds a line break/],
    ['DATABASE_URL', 'mysql://u:canary@db:0/t', /^DATABASE_URL \(in .*\/value\) "db:0" is no host/],
    ['METRICS_TOKEN', 'short', /^METRICS_TOKEN \(in .*\/value\): must be 16 to 200/],
    ['DATABASE_URL', Buffer.from([0, 1, 2]), /^DATABASE_URL \(in .*\/value\) holds a line break or another control/],
  ])('%s with a fault in its file is told with the file, and never quoted', (name, content, line) => {
    const faults = findConfigFaults({ [`${name}_FILE`]: write('value', content) });
    expect(faults).toEqual([expect.stringMatching(line)]);
    expect(faults.join()).not.toContain('canary');
  });

  it('of another program is left alone, and so is the file of a setting that is no secret', () => {
    expect(findConfigFaults({ ELSEWHERE_API_KEY_FILE: '/none', PORT_FILE: '/none', MAIL_FILE: '/none' })).toEqual([]);
  });

  it('that tollgate.yaml names is found in its file as well', () => {
    const text = `providers: { mine: { baseUrl: http://10.0.0.7/v1, apiKey: "\${MY_SECRET}" } }`;
    const { file } = readTollgateFile(text, { MY_SECRET_FILE: write('mine', 'sk-mine\n') });
    expect(file?.providers[0]?.apiKey?.reveal()).toBe('sk-mine');
    const { faults } = readTollgateFile(text, { MY_SECRET_FILE: join(folder, 'missing') });
    expect(faults[0]).toMatch(/^providers\.mine\.apiKey: MY_SECRET_FILE: the file .* cannot be read/);
  });

  it('in a file is honoured by the operator’s programs', async () => {
    mkdirSync(join(folder, 'data'));
    const database = { kind: 'sqlite' as const, file: join(folder, 'data/tollgate.db') };
    const settings = { DATABASE_URL: '', DATABASE_URL_FILE: write('url', `sqlite:${database.file}\n`) };
    expect(await runProgram('migrate.js', database, { words: ['run'], settings })).toMatchObject({ exitCode: 0 });
    const password = { SEED_PASSWORD_FILE: write('password', 'a long enough one\n') };
    const seeded = await runProgram('seed.js', database, { words: ['5'], settings: { ...settings, ...password } });
    expect(seeded).toMatchObject({ exitCode: 0, output: expect.stringContaining('a long enough one') });
    const verified = await runProgram('verify.js', database, { settings });
    expect(verified).toMatchObject({ exitCode: 0, log: '' });
    expect(verified.output).toContain(database.file);
    const missing = { DATABASE_URL: '', DATABASE_URL_FILE: join(folder, 'missing') };
    const failed = await runProgram('tollgate.js', database, { words: ['gift-code', 'list'], settings: missing });
    expect(failed.exitCode).toBe(2);
    expect(failed.log).toMatch(/DATABASE_URL_FILE: the file .*missing cannot be read/);
    expect(failed.log).not.toMatch(/^\s+at /m);
  }, 120_000);
});

describe('the faults of all settings', () => {
  it('are told at once, whichever kinds they are of', () => {
    const faults = findConfigFaults({
      PORT: '0x50',
      WORKERS: '2',
      DATABASE_URL: 'mysql://db:0/?colour=red',
      REDIS_URL: 'http://cache',
      OPENAI_API_KEY: 'a b',
      GROQ_API_KEY_FILE: '/none',
      STRIPE_WEBHOOK_SECRET: 'whsec_canarysix00000000000',
      SMTP_URL: secrets.SMTP_URL as string,
      REQUESTS_PER_MINUTE: '9999999',
    });
    const names = faults.map((fault) => /^[A-Z_]+/.exec(fault)?.[0]);
    expect(names.sort()).toEqual(
      [
        ...['PORT', 'REDIS_URL', 'REQUESTS_PER_MINUTE', 'GROQ_API_KEY_FILE', 'OPENAI_API_KEY'],
        ...['DATABASE_URL', 'DATABASE_URL', 'DATABASE_URL', 'DATABASE_URL'],
        ...['STRIPE_WEBHOOK_SECRET', 'SMTP_URL'],
      ].sort(),
    );
    for (const fault of faults) expect(fault).toMatch(/^[^\n]{10,300}$/);
  });

  it('do not make others of settings that are right', () => {
    expect(findConfigFaults({ WORKERS: '2', RATE_LIMIT_STORE: 'mysql', DATABASE_URL: 'mysql://db' })).toHaveLength(1);
    expect(findConfigFaults({ RATE_LIMIT_STORE: 'redis', REDIS_URL: 'http://cache' })).toHaveLength(1);
    expect(findConfigFaults({ STRIPE_SECRET_KEY_FILE: '/none', STRIPE_API_BASE: 'http://127.0.0.1' })).toHaveLength(1);
  });
});
