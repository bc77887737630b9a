import { chownSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { explainStartFailure } from '../composition/explain-start-failure.js';
import { Secret } from '../kernel/secret.js';
import { makeTestFolder } from '../test/test-folder.js';
import { SecretBox } from './secret-box.js';

const mysql = { kind: 'mysql', url: new Secret('mysql://nobody@127.0.0.1/none') } as const;
const boxOf = (key: string) => new SecretBox({ secretsKey: new Secret(key.repeat(32)), database: mysql });

describe('A sealed secret', () => {
  it('is opened by the same key for the same purpose, and by nothing else', async () => {
    const sealed = await boxOf('k').seal('open sesame', 'purpose');
    expect(sealed).not.toContain('sesame');
    expect(await boxOf('k').open(sealed, 'purpose')).toBe('open sesame');
    expect(await boxOf('K').open(sealed, 'purpose')).toBeNull();
    expect(await boxOf('k').open(sealed, 'another purpose')).toBeNull();
    const damaged = `${sealed.slice(0, -2)}${sealed.endsWith('AA') ? 'BB' : 'AA'}`;
    for (const text of [damaged, sealed.slice(0, 20), '', 'no seal']) {
      expect(await boxOf('k').open(text, 'purpose')).toBeNull();
    }
    expect(await boxOf('k').seal('open sesame', 'purpose')).not.toBe(sealed);
  });

  it('has its key beside the file on SQLite, made once, for this user alone', async () => {
    const file = join(makeTestFolder('secret-box'), 'tollgate.db');
    const open = () => new SecretBox({ secretsKey: null, database: { kind: 'sqlite', file } });
    const sealed = await Promise.all([open().seal('one', 'p'), open().seal('two', 'p')]);
    const key = readFileSync(`${file}.secrets-key`, 'utf8');
    expect(statSync(`${file}.secrets-key`).mode & 0o777).toBe(0o600);
    expect(await Promise.all(sealed.map((text) => open().open(text, 'p')))).toEqual(['one', 'two']);
    // What an operator does who moves to MySQL.
    const moved = new SecretBox({ secretsKey: new Secret(key.trim()), database: mysql });
    expect(await moved.open(sealed[0], 'p')).toBe('one');
  });

  const asRoot = process.getuid?.() === 0 ? it : it.skip;
  asRoot('has a key that the owner of the database can read, also where a command typed as root made it', async () => {
    const file = join(makeTestFolder('secret-box'), 'tollgate.db');
    writeFileSync(file, '');
    chownSync(file, 65_534, 65_533);
    await new SecretBox({ secretsKey: null, database: { kind: 'sqlite', file } }).seal('one', 'p');
    const { uid, gid, mode } = statSync(`${file}.secrets-key`);
    expect([uid, gid, mode & 0o777]).toEqual([65_534, 65_533, 0o600]);
    expect(readdirSync(dirname(file)).sort()).toEqual(['tollgate.db', 'tollgate.db.secrets-key']);
  });

  it.each(['', 'short'])(
    'is refused in one line where the file beside the database holds %j, which is kept',
    async (text) => {
      const file = join(makeTestFolder('secret-box'), 'tollgate.db');
      writeFileSync(`${file}.secrets-key`, text);
      const box = new SecretBox({ secretsKey: null, database: { kind: 'sqlite', file } });
      const error = await box.seal('one', 'p').catch((thrown: unknown) => thrown);
      expect(explainStartFailure(error)).toMatch(
        /^SECRETS_KEY is not set, and .*secrets-key holds no whole key\. Restore it/,
      );
      expect(readFileSync(`${file}.secrets-key`, 'utf8')).toBe(text);
    },
  );

  it('is refused in one line where the file beside the database cannot be read', async () => {
    const file = join(makeTestFolder('secret-box'), 'tollgate.db');
    // Root can read every file, and no folder.
    mkdirSync(`${file}.secrets-key`);
    const box = new SecretBox({ secretsKey: null, database: { kind: 'sqlite', file } });
    const error = await box.seal('one', 'p').catch((thrown: unknown) => thrown);
    expect(explainStartFailure(error)).toMatch(/cannot be read \(EISDIR\)\. Give it to the owner/);
  });

  it('is refused on MySQL without a key, in words that name the setting', async () => {
    const box = new SecretBox({ secretsKey: null, database: mysql });
    await expect(box.seal('text', 'p')).rejects.toThrow('SECRETS_KEY');
  });

  it('is opened by the key before this one, sealed anew by this one, and then opened without the former', async () => {
    const sealed = await boxOf('o').seal('open sesame', 'purpose');
    const keys = { secretsKey: new Secret('n'.repeat(32)), oldSecretsKey: new Secret('o'.repeat(32)) };
    const both = new SecretBox({ ...keys, database: mysql });
    expect(await both.open(sealed, 'purpose')).toBe('open sesame');
    expect(await both.open(sealed, 'another purpose')).toBeNull();
    const anew = String(await both.reseal(sealed, 'purpose'));
    expect(await boxOf('n').open(anew, 'purpose')).toBe('open sesame');
    expect(await boxOf('o').open(anew, 'purpose')).toBeNull();
    expect(await both.reseal(anew, 'purpose')).toBe(anew);
    expect(await both.reseal(await boxOf('x').seal('text', 'purpose'), 'purpose')).toBeNull();
    expect(await boxOf('n').open(await both.seal('text', 'p'), 'p')).toBe('text');
  });
});
