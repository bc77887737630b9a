import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRepositoryRoot } from '../test/architecture/source-tree.js';
import { sample, sampleInWords } from '../test/sample.js';
import { InvalidConfigError, loadConfig } from './config.js';

const root = findRepositoryRoot(import.meta.dirname);
const example = readFileSync(join(root, '.env.example'), 'utf8');
const names = [...example.matchAll(/^# ([A-Z][A-Z0-9_]*)=/gm)].map(([, name = '']) => name);

/** What nobody means by any setting. */
const nonsense: Readonly<Record<string, string>> = {
  'a space': ' ',
  'a line break at its end': 'value\n',
  'NUL within': 'va\0lue',
  'a huge number': '9'.repeat(40),
  'a number below zero': '-1',
  hexadecimal: '0x50',
  'an exponent': '1e3',
  'a number after a space': ' 80',
  'a fraction': '1.5',
  'a word of another language': 'größe\u{1F4A9}',
  'a right-to-left mark': '\u202e80',
  'digits of another language': '٨٠',
  '"true"': 'true',
  'a pasted file': 'x'.repeat(20_000),
  'a bad escape': '%zz',
  'a bracket': 'http://[',
  'a way out': '../../../../../../proc/x/y',
};

function findFaults(environment: Record<string, string>): readonly string[] {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof InvalidConfigError) return error.faults;
    throw error;
  }
}

const takesAnySign = (name: string) => name.endsWith('_API_KEY') || ['METRICS_TOKEN', 'SECRETS_KEY'].includes(name);

describe.each(names)('%s', (name) => {
  it.each(Object.entries(nonsense))('as %s is refused in one line that names it, or works as it stands', (_, value) => {
    const faults = findFaults({ [name]: value });
    for (const fault of faults) expect(fault).toMatch(/^[^\n]{10,300}$/);
    if (faults.length > 0) {
      expect(faults.join('\n')).toContain(name);
      expect(faults.length).toBe(1);
    }
    const isText = takesAnySign(name) && /^[\x21-\x7e]{1,8192}$/.test(value);
    const isOdd = /\p{Cc}/u.test(value) || value.trim() !== value || value.length > 8_192;
    // What is wrong with a folder is found by trying it, below.
    const mayStand = isText || (name === 'SPOOL_DIR' && !isOdd) || value === 'true';
    if (!mayStand) expect(faults).not.toEqual([]);
  });

  it('left empty means its default', () => {
    expect(loadConfig({ [name]: '' })).toEqual(loadConfig({}));
  });
});

describe('a number', () => {
  it.each(['0080', '+80', '80 ', '8_0', '80.0', '0b1', '٨', '８０', '1,000', 'Infinity', 'NaN'])(
    'is never made of %j',
    (text) => {
      expect(findFaults({ PORT: text, WORKERS: text, REQUESTS_PER_MINUTE: text })).toHaveLength(3);
    },
  );
});

describe('NODE_ENV', () => {
  it.each(['prod', 'PRODUCTION', 'Production', 'dev', 'staging'])('%s is no kind of it', (text) => {
    expect(findFaults({ NODE_ENV: text })).toEqual([
      expect.stringMatching(/^NODE_ENV: .*"production"\|"development"\|"test"/),
    ]);
  });
});

describe('HOST', () => {
  it.each(['bad host', '256.1.1.1', '127.1', '0x7f.1', '2130706433', '*', 'a..b', '[::1]', 'http://x', '127.0.0.1:80'])(
    '%s is none',
    (text) => expect(findFaults({ HOST: text })).toEqual([expect.stringMatching(/^HOST: must be an IP address/)]),
  );

  it('is loopback unless it is said otherwise, and everything in production', () => {
    expect(loadConfig({}).host).toBe('localhost');
    expect(loadConfig({ NODE_ENV: 'test' }).host).toBe('localhost');
    expect(loadConfig({ NODE_ENV: 'production' }).host).toBe('0.0.0.0');
    expect(loadConfig({ HOST: '::' }).host).toBe('::');
  });
});

describe('keys of providers', () => {
  it.each(['sk-one\ntwo', 'sk-one\n', 'sk one', 'sk-ключ', '“sk-one”', 'sk-\x7f'])(
    '%j are refused, unquoted',
    (key) => {
      const faults = findFaults({ OPENAI_API_KEY: key });
      expect(faults).toEqual([expect.stringMatching(/^OPENAI_API_KEY (holds|begins)/)]);
      expect(faults.join()).not.toContain('one');
    },
  );

  it('of programs that are none of ours do not matter', () => {
    expect(findFaults({ ELSEWHERE_API_KEY: 'a b\n', ELSEWHERE_BASE_URL: 'elsewhere' })).toEqual([]);
  });
});

describe('DATABASE_URL', () => {
  it.each([
    ['mysql://root:50%@127.0.0.1/tollgate', /%25/],
    ['mysql://root:x@127.0.0.1/tollgate?ssl=true', /does not know the parameter "ssl"/],
    ['mysql://root:a#b@127.0.0.1/tollgate', /must be mysql:.*percent-encode/],
    ['mysql://root:x@127.0.0.1:0/tollgate', /is no host/],
    ['postgres://root@127.0.0.1/tollgate', /must be sqlite:/],
    ['sqlite:', /names no file/],
    ['sqlite::memory:', /names no file/],
  ])('%s is refused', (url, words) => {
    expect(findFaults({ DATABASE_URL: url })).toEqual([expect.stringMatching(words)]);
  });
});

describe('addresses of other servers', () => {
  it.each([
    ['REDIS_URL', 'redis://:50%@127.0.0.1'],
    ['REDIS_URL', 'redis://127.0.0.1/first'],
    ['REDIS_URL', 'redis://127.0.0.1/%zz'],
    ['REDIS_URL', 'redis:///0'],
    ['REDIS_URL', 'http://127.0.0.1'],
    ['SMTP_URL', 'smtp://user:50%@mail.example.com'],
    ['SMTP_URL', 'smtp://'],
    ['PUBLIC_URL', 'https://user:password@x.example.com'],
    ['PUBLIC_URL', 'https://x.example.com/?a=b'],
    ['PUBLIC_URL', 'http:x.example.com'],
    ['OPENAI_BASE_URL', 'https://x.example.com/v1?api-version=1'],
    ['STRIPE_API_BASE', 'http://127.0.0.1:99999'],
  ])('%s=%s is refused, with its name', (name, value) => {
    const more = name === 'SMTP_URL' ? { MAIL_FROM: 'a@example.com' } : {};
    expect(findFaults({ [name]: value, ...more })).toEqual([expect.stringMatching(new RegExp(`^${name}:? must be`))]);
  });

  it.each([
    ['REDIS_URL', 'redis://user:p%40ss@127.0.0.1:6379/0'],
    ['REDIS_URL', 'rediss://cache.example.com/?family=6'],
    ['SMTP_URL', 'smtps://user:p%25@mail.example.com:465/?pool=true'],
    ['PUBLIC_URL', 'https://x.example.com/'],
    ['OLLAMA_BASE_URL', 'http://localhost:11434/v1/'],
    ['DATABASE_URL', 'mysql://user:p%40ss@db.example.com:3306/tollgate'],
  ])('%s=%s is taken', (name, value) => {
    const more = name === 'SMTP_URL' ? { MAIL_FROM: 'a@example.com' } : {};
    expect(findFaults({ [name]: value, ...more })).toEqual([]);
  });
});

describe('a server that starts', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-settings-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Starts the server as built. It is told to stop as soon as it listens, and killed after a minute and a half. */
  const start = async (settings: Record<string, string>) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, '../main.js')], {
      cwd: folder,
      env: { PATH: process.env.PATH, PORT: '0', ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 90_000,
      killSignal: 'SIGKILL',
    });
    let words = '';
    let isTold = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (piece: Buffer) => {
        words += piece;
        // Told twice, it would stop at once.
        if (words.includes('server_listening') && !isTold) isTold = child.kill('SIGTERM');
      });
    }
    const [exitCode] = await once(child, 'close');
    return { exitCode, words };
  };

  it('with every fault at once is told all of them, one line each, and no stack', async () => {
    const { exitCode, words } = await start({
      ...{ NODE_ENV: 'prod', HOST: 'bad host', PORT: '0x50', SPOOL_DIR: '/proc/x', TOLLGATE_CONFIG: '/etc' },
      ...{ OPENAI_API_KEY: 'sk-one\ntwo', DATABASE_URL: `sqlite:${folder}`, REQUESTS_PER_MINUTE: '1e3' },
    });
    expect(exitCode).toBe(1);
    const lines = words.trim().split('\n');
    expect(lines[0]).toBe('The settings have 8 fault(s):');
    expect(lines.slice(1).map((line) => /^ {2}- ([A-Z_]+)/.exec(line)?.[1])).toEqual([
      ...[
        'NODE_ENV',
        'HOST',
        'PORT',
        'REQUESTS_PER_MINUTE',
        'TOLLGATE_CONFIG',
        'OPENAI_API_KEY',
        'DATABASE_URL',
        'SPOOL_DIR',
      ],
    ]);
  }, 200_000);

  const unusable: readonly (readonly [name: string, value: string, line: RegExp])[] = [
    ['SPOOL_DIR', '/proc/x', /SPOOL_DIR: ENOENT.*Name a place/],
    ['SPOOL_DIR', '/proc/x/y/z', /SPOOL_DIR: ENOENT.*Name a place/],
    ['SPOOL_DIR', '/dev/null', /SPOOL_DIR: .*Name a place/],
    ['SPOOL_DIR', '/dev/null/x', /SPOOL_DIR: .*Name a place/],
    ['SPOOL_DIR', 'n'.repeat(300), /SPOOL_DIR: ENAMETOOLONG.*Name a place/],
    ['SPOOL_DIR', '/sys/x', /SPOOL_DIR: .*Name a place/],
    ['DATABASE_URL', 'sqlite:/proc/x/t.db', /DATABASE_URL: ENOENT.*Name a place/],
    ['DATABASE_URL', 'sqlite:/etc', /DATABASE_URL: \/etc is a folder/],
    ['DATABASE_URL', 'sqlite:/dev/zero', /DATABASE_URL: \/dev\/zero is no ordinary file/],
    ['DATABASE_URL', 'mysql://root:x@127.0.0.1:1/t', /DATABASE_URL: connect ECONNREFUSED/],
    ['TOLLGATE_CONFIG', '/dev/zero', /TOLLGATE_CONFIG: .* no ordinary file/],
    ['HOST', 'nowhere.invalid', /HOST: getaddrinfo .*Set an address of this machine/],
    ['HOST', '192.0.2.1', /HOST: listen EADDRNOTAVAIL.*Set an address of this machine/],
  ];
  // Elsewhere these places are missing, or ordinary.
  const isLinux = process.platform === 'linux';
  const found = unusable.filter(([, value]) => isLinux || !/^(sqlite:)?\/(proc|sys|dev)\//.test(value));
  it.each(sample(found, 3))(
    `with %s=%s says so in one line, and neither hangs nor shows a stack (${sampleInWords})`,
    async (name, value, line) => {
      const { exitCode, words } = await start({ [name]: value });
      expect(exitCode).toBe(1);
      expect(words).toMatch(line);
      expect(words).not.toMatch(/^\s+at /m);
    },
    60_000,
  );

  it('with the key of a provider alone works, and says what is simulated', async () => {
    const { exitCode, words } = await start({ OPENAI_API_KEY: 'sk-abc' });
    expect(words).toMatch(/simulated_money_buys_real_answers/);
    expect(words).toMatch(/"host":"localhost"/);
    expect(exitCode).toBe(0);
  }, 200_000);

  it('where others reach it, with simulated money for a real provider, is refused', async () => {
    const open = { OPENAI_API_KEY: 'sk-abc', HOST: '0.0.0.0' };
    const { exitCode, words } = await start(open);
    expect(exitCode).toBe(1);
    expect(words).toMatch(
      /STRIPE_SECRET_KEY is empty.*HOST=0\.0\.0\.0.*openai.*ALLOW_SIMULATED_MONEY_FOR_REAL_PROVIDERS=true/,
    );
    const allowed = await start({
      ...open,
      HOST: '127.0.0.1',
      TRUST_PROXY: '1',
      ALLOW_SIMULATED_MONEY_FOR_REAL_PROVIDERS: 'true',
    });
    expect(allowed.words).toMatch(/"code":"simulated_money_for_real_providers".*unsafe_for_strangers/);
    expect(allowed.exitCode).toBe(0);
  }, 200_000);
});
