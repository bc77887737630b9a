import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findRepositoryRoot } from './architecture/source-tree.js';
import { makeTestFolder } from './test-folder.js';

const scripts = join(findRepositoryRoot(import.meta.dirname), 'scripts');
const { parseEnvFile } = (await import(pathToFileURL(join(scripts, 'read-env-file.mjs')).href)) as {
  parseEnvFile(bytes: Buffer): Readonly<Record<string, string>>;
};
const parse = (text: string) => parseEnvFile(Buffer.from(text));

describe('.env', () => {
  it('is read whole, whatever editor wrote it', () => {
    const wanted = { DATABASE_URL: 'mysql://a:b@c/d', PORT: '81' };
    for (const text of ['DATABASE_URL=mysql://a:b@c/d\nPORT=81', 'DATABASE_URL=mysql://a:b@c/d\r\nPORT=81\r\n']) {
      expect(parse(text)).toEqual(wanted);
      expect(parse(`\ufeff${text}`)).toEqual(wanted);
    }
  });

  it.each([
    ['# A=1\n\n', {}],
    ['A=\nB=2', { A: '', B: '2' }],
    ['A=one two # three', { A: 'one two' }],
    ['A="one#two" # three', { A: 'one#two' }],
    ["export A='one\ntwo'\n  B = 2", { A: 'one\ntwo', B: '2' }],
    ['A=`it\'s "so"`', { A: 'it\'s "so"' }],
  ])('keeps to the letter what is beyond doubt: %j', (text, settings) => {
    expect(parse(text)).toEqual(settings);
  });

  it.each([
    [
      'A=1\nSECRETS_KEY=01234#6789',
      /^\.env has a # inside the value of SECRETS_KEY \(line 2\)\. Put the value in quotes\.$/,
    ],
    ['SECRETS_KEY=#6789', /has a # inside the value of SECRETS_KEY/],
    ['A="12\nB=3', /does not close the " of A \(line 1\)/],
    ['A="1"2"', /goes on behind the closing " of A/],
    ["A='1\nB='2'", /goes on behind the closing ' of A/],
    ['A=1\nDATABASE_URL: sqlite:x.db', /has no setting in line 2/],
    ['A-B=1', /has no setting in line 1/],
  ])('is refused, without quoting a value, where a setting would be lost or cut: %j', (text, words) => {
    expect(() => parse(text)).toThrow(words);
  });

  it('is refused as UTF-16, with zeros, and in another character set', () => {
    for (const bytes of [Buffer.from('\ufeffA=1', 'utf16le'), Buffer.from('A=1', 'utf16le'), Buffer.from('A=\0')]) {
      expect(() => parseEnvFile(bytes)).toThrow('.env is UTF-16 or no text. Save it as UTF-8.');
    }
    expect(() => parseEnvFile(Buffer.from('A=Jürgen', 'latin1'))).toThrow('.env is no UTF-8. Save it as UTF-8.');
  });

  it('that is a folder ends a program with one line, and what the environment has wins over a file', () => {
    const folder = makeTestFolder('env-file');
    const run = (code: string) =>
      spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
        cwd: folder,
        env: { ...process.env, A: 'environment' },
        encoding: 'utf8',
      });
    const at = (file: string) => JSON.stringify(pathToFileURL(join(scripts, file)).href);
    const read = `import { readEnvFile } from ${at('read-env-file.mjs')}; import { failToStart } from ${at('make-ready.mjs')};
      try { readEnvFile(); } catch (error) { failToStart(error, 2); } process.stdout.write(process.env.A + process.env.B);`;
    expect(run(read).stdout).toBe('environmentundefined');
    writeFileSync(join(folder, '.env'), 'A=file\nB=file');
    expect(run(read).stdout).toBe('environmentfile');
    rmSync(join(folder, '.env'));
    mkdirSync(join(folder, '.env'));
    expect(run(read)).toMatchObject({
      status: 2,
      stderr: '.env is a folder. Make it a file of settings, or remove it.\n',
    });
  });

  it('has one reader', () => {
    const others = readdirSync(scripts).filter((file) => /loadEnvFile|'\.env'/.test(readScript(file)));
    expect(others).toEqual(['read-env-file.mjs']);
  });
});

function readScript(file: string): string {
  return readFileSync(join(scripts, file), 'utf8');
}
