import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '../test/test-folder.js';
import { readConfig } from './config.js';
import { listOpenToOthers } from './open-to-others.js';
import { tellOperatorAtStart } from './unsafe-for-strangers.js';

describe('what other users of the machine can get at', () => {
  let folder: string;
  let file: string;
  let spoolFolder: string;
  beforeEach(() => {
    folder = makeTestFolder('open');
    file = join(folder, 'tollgate.db');
    spoolFolder = join(folder, 'spool');
    chmodSync(folder, 0o755);
    for (const path of [file, `${file}-wal`, `${file}.secrets-key`]) writeFileSync(path, '', { mode: 0o600 });
    mkdirSync(spoolFolder, { mode: 0o700 });
  });
  const list = () =>
    listOpenToOthers({ database: { kind: 'sqlite', file }, spoolFolder, retentionFolder: join(folder, 'missing') });

  it('is nothing that is its owner’s alone or its group’s, wherever it lies', () => {
    expect(list()).toEqual([]);
    chmodSync(file, 0o660);
    chmodSync(spoolFolder, 0o770);
    expect(list()).toEqual([]);
  });

  it('is each file and folder that they may read or write, told with the remedy', () => {
    chmodSync(`${file}-wal`, 0o644);
    chmodSync(spoolFolder, 0o755);
    expect(list()).toEqual([
      { path: `${file}-wal`, mode: '644', remedy: `chmod 600 ${file}-wal` },
      { path: spoolFolder, mode: '755', remedy: `chmod 700 ${spoolFolder}` },
    ]);
    chmodSync(file, 0o602);
    chmodSync(`${file}.secrets-key`, 0o644);
    expect(list().map(({ path, mode }) => [path, mode])).toEqual([
      [file, '602'],
      [`${file}-wal`, '644'],
      [`${file}.secrets-key`, '644'],
      [spoolFolder, '755'],
    ]);
    const told: unknown[] = [];
    const settings = { DATABASE_URL: `sqlite:${file}`, SPOOL_DIR: spoolFolder };
    tellOperatorAtStart(readConfig(settings).config, { warn: (event, fields) => void told.push([event, fields]) });
    expect(told).toEqual(expect.arrayContaining(list().map((place) => ['open_to_others', place])));
  });

  it('is nothing behind a folder that they do not get through', () => {
    for (const path of [file, spoolFolder]) chmodSync(path, 0o777);
    expect(list()).toHaveLength(2);
    chmodSync(folder, 0o750);
    expect(list()).toEqual([]);
  });
});
