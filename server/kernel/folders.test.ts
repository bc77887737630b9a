import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '../test/test-folder.js';
import { makeFolder } from './folders.js';

describe('a folder that is made', () => {
  let folder: string;
  let umask: number;
  beforeEach(() => {
    folder = makeTestFolder('folders');
    umask = process.umask(0);
  });
  afterEach(() => {
    process.umask(umask);
    rmSync(folder, { recursive: true, force: true });
  });

  const modeOf = (path: string) => statSync(join(folder, path)).mode & 0o777;

  it('is for its user alone, and those above it are written to by nobody else, whatever the umask is', () => {
    makeFolder(join(folder, 'above/data'));
    expect([modeOf('above'), modeOf('above/data')]).toEqual([0o755, 0o700]);
    mkdirSync(join(folder, 'there'));
    chmodSync(join(folder, 'there'), 0o750);
    makeFolder(join(folder, 'there'));
    expect(modeOf('there')).toBe(0o750);
  });
});
