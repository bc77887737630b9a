import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeTestFolder } from '../test/test-folder.js';
import { restoreInstallation } from './back-up.js';
import type { RestoreDisk } from './lay-down-backup.js';

const held: Readonly<Record<string, string>> = {
  'tollgate.db': 'the database, which nobody opens here',
  'spool/settlements-a.slots': 'settlements that wait',
  'spool/quarantine/call_1.refused.json': 'one that was refused',
};

describe('a backup that is laid down', () => {
  let folder: string;
  beforeEach(() => {
    folder = makeTestFolder('lay-down');
    const files = Object.entries(held).map(([path, words]) => {
      const file = join(folder, 'backup', path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, words);
      return [path, { bytes: words.length, sha256: createHash('sha256').update(words).digest('hex') }];
    });
    const manifest = { product: 'tollgate', version: '1', madeAt: 'then', files: Object.fromEntries(files) };
    writeFileSync(join(folder, 'backup/backup.json'), JSON.stringify(manifest));
  });

  const placeOf = (name: string) => join(folder, 'to', name);
  const restore = (disk: Partial<RestoreDisk> = {}) =>
    restoreInstallation(
      {
        database: { kind: 'sqlite', file: placeOf('tollgate.db') },
        spoolFolder: placeOf('spool'),
        folder: join(folder, 'backup'),
        report: () => {},
      },
      { copyFile, findRoomBytes: async () => null, ...disk },
    );
  const listLaid = () =>
    (readdirSync(join(folder, 'to'), { recursive: true }) as string[])
      .filter((path) => statSync(placeOf(path)).isFile() && !path.endsWith('-lock'))
      .sort();
  const expectWhole = () => {
    expect(listLaid()).toEqual(Object.keys(held).sort());
    for (const [path, words] of Object.entries(held)) expect(readFileSync(placeOf(path), 'utf8')).toBe(words);
  };
  /** A disk that fails in the copy of this number, after half of it. */
  const failingAt = (copy: number, code: string): Partial<RestoreDisk> => {
    let copies = 0;
    return {
      copyFile: async (from, to) => {
        copies += 1;
        if (copies !== copy) return copyFile(from, to);
        writeFileSync(to, readFileSync(from).subarray(0, 5));
        throw Object.assign(new Error(`${code}: it is so, copyfile '${from}' -> '${to}'`), {
          code,
          path: from,
          dest: to,
        });
      },
    };
  };

  it('and refused by a disk anywhere is told in one line, leaves nothing, and is laid down whole the next time', async () => {
    for (const code of ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EIO']) {
      for (const copy of [1, 2, 3]) {
        const failure: Error = await restore(failingAt(copy, code)).then(
          () => new Error('It was restored.'),
          (error) => error,
        );
        expect(failure).toMatchObject({ name: 'BackupRefusedError' });
        expect(failure.message).toMatch(new RegExp(`^${folder}/to/.*${code}: it is so.*type the same again\\.$`));
        expect(listLaid()).toEqual([]);
      }
      await restore();
      expectWhole();
      rmSync(join(folder, 'to'), { recursive: true });
    }
  });

  it('takes what a killed restore has laid for its own, in whatever order it came, and goes on', async () => {
    const names = Object.keys(held).filter((path) => path !== 'tollgate.db');
    for (const done of [[], names.slice(0, 1), names.slice(1), names]) {
      await restore();
      rmSync(placeOf('tollgate.db'));
      writeFileSync(placeOf('tollgate.db.partial'), 'ha');
      for (const path of names) {
        if (!done.includes(path)) renameSync(placeOf(path), placeOf(`${path}.partial`));
      }
      await restore();
      expectWhole();
      rmSync(join(folder, 'to'), { recursive: true });
    }
  });

  it('takes no settlement for its own that says something else, or that it does not have', async () => {
    for (const name of ['settlements-a.slots', 'settlements-b.slots']) {
      mkdirSync(placeOf('spool'), { recursive: true });
      writeFileSync(placeOf(`spool/${name}`), 'money of somebody');
      await expect(restore()).rejects.toThrow(new RegExp(`not of this backup \\(${name}\\).*they may be money`));
      expect(listLaid()).toEqual([`spool/${name}`]);
      rmSync(join(folder, 'to'), { recursive: true });
    }
  });

  it('looks for room before it writes anything, all that goes to one disk together', async () => {
    const total = Object.values(held).join('').length;
    const refused = restore({ findRoomBytes: async () => total - 1 });
    await expect(refused).rejects.toThrow(
      /the disk of .* has room for .* MB, and .* MB are needed\. Nothing was written/,
    );
    expect(listLaid()).toEqual([]);
    await restore({ findRoomBytes: async () => total });
    expectWhole();
    expect(existsSync(placeOf('tollgate.db.partial'))).toBe(false);
  });
});
