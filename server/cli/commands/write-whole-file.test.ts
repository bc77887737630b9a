import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PlainFailure } from '../../kernel/settings/plain-failure.js';
import { makeTestFolder } from '../../test/test-folder.js';
import { UsageError } from '../operator-program.js';
import { writeWholeFile } from './write-whole-file.js';

describe('A file that an operator’s command writes', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = makeTestFolder('export');
    path = join(folder, 'export.json');
  });

  const writing = (pieces: Iterable<string>) => (file: Writable) => pipeline(Readable.from(pieces), file);

  it('is at its place once it is whole, for its owner alone, and nowhere before', async () => {
    const before: boolean[] = [];
    function* pieces() {
      yield '{"all":';
      before.push(existsSync(path));
      yield '1}';
    }
    await writeWholeFile(path, writing(pieces()));
    expect(before).toEqual([false]);
    expect(readFileSync(path, 'utf8')).toBe('{"all":1}');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['export.json']);
  });

  it('is written whole by the next run where a kill has left a part of it', async () => {
    writeFileSync(`${path}.partial`, '{"all":', { mode: 0o644 });
    await writeWholeFile(path, writing(['{"all":2}']));
    expect(readFileSync(path, 'utf8')).toBe('{"all":2}');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['export.json']);
  });

  it('leaves nothing where it fails half-way, so that it can be asked for again', async () => {
    function* pieces() {
      yield '{"all":';
      throw new Error('The database is away.');
    }
    await expect(writeWholeFile(path, writing(pieces()))).rejects.toThrow('The database is away.');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('says in one line that its disk refuses it, and leaves nothing', async () => {
    function* pieces() {
      yield '{"all":';
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    }
    const refused = writeWholeFile(path, writing(pieces()));
    await expect(refused).rejects.toThrow(
      new PlainFailure(
        '--to: ENOSPC: no space left on device, write. Nothing was written. Make room there, or name a file on another disk.',
      ),
    );
    await expect(refused).rejects.toBeInstanceOf(PlainFailure);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes the place of no other, and says where there is none for it', async () => {
    writeFileSync(path, 'mine');
    await expect(writeWholeFile(path, writing(['x']))).rejects.toThrow(
      new UsageError(`--to: ${path} is there already. Name a file that is not there yet.`),
    );
    expect(readFileSync(path, 'utf8')).toBe('mine');
    await expect(writeWholeFile(join(folder, 'none', 'x'), writing(['x']))).rejects.toThrow('cannot be made (ENOENT)');
  });
});
