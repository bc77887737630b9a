import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '../test/test-folder.js';
import { SpoolCopy } from './spool-copy.js';

describe('a copy of a spool', () => {
  let folder: string;
  beforeEach(() => {
    folder = makeTestFolder('spool-copy');
  });

  const write = (path: string, words: string) => writeFileSync(join(folder, 'spool', path), words);
  const filesOf = (of: string) =>
    Object.fromEntries(
      (readdirSync(join(folder, of), { recursive: true }) as string[])
        .filter((path) => statSync(join(folder, of, path)).isFile())
        .map((path) => [path, readFileSync(join(folder, of, path), 'utf8')]),
    );

  it('is of the moment in which it is taken, whatever changes before and afterwards', async () => {
    mkdirSync(join(folder, 'spool/quarantine'), { recursive: true });
    write('settlements-a.slots', 'before');
    write('settlements-gone.slots', 'before');
    write('settlements-a.slots.lock', '');
    write('quarantine/call_1.refused.json', '1');
    write('quarantine/call_2.refused.json', '2');
    const copy = new SpoolCopy(join(folder, 'spool'), join(folder, 'copy'));
    await copy.prepare();

    write('settlements-a.slots', 'at the moment');
    rmSync(join(folder, 'spool/settlements-gone.slots'));
    write('quarantine/call_2.booked.json', '2');
    renameSync(
      join(folder, 'spool/quarantine/call_2.refused.json'),
      join(folder, 'spool/quarantine/call_2.was-refused.json'),
    );
    write('quarantine/call_3.refused.json', '3');
    const { 'settlements-a.slots.lock': _, ...wanted } = filesOf('spool');
    await copy.take();

    write('settlements-a.slots', 'afterwards');
    rmSync(join(folder, 'spool/quarantine'), { recursive: true });
    await copy.writeDown();
    expect(filesOf('copy')).toEqual(wanted);
    expect(statSync(join(folder, 'copy/settlements-a.slots')).mode & 0o777).toBe(0o600);
  });

  it('is empty where there is no spool', async () => {
    const copy = new SpoolCopy(join(folder, 'nowhere'), join(folder, 'copy'));
    await copy.prepare();
    await copy.take();
    await copy.writeDown();
    expect(filesOf('copy')).toEqual({});
  });
});
