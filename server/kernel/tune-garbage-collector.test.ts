import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRepositoryRoot } from '../test/architecture/source-tree.js';
import { collectorFlag, startFlag } from './tune-garbage-collector.js';

it('names flags that this Node.js knows: another one would be passed over, and calls would grow old unseen', () => {
  expect(() =>
    execFileSync(process.execPath, [collectorFlag, startFlag, '--eval', ''], { stdio: 'pipe' }),
  ).not.toThrow();
  expect(() => execFileSync(process.execPath, ['--no-such-flag', '--eval', ''], { stdio: 'pipe' })).toThrow();
});

it.each([
  ['package.json', `"start": "node ${startFlag} scripts/start.mjs"`],
  ['deploy/Dockerfile', `"${startFlag}"`],
  ['deploy/systemd/tollgate.service', `node ${startFlag} --enable-source-maps /opt/tollgate/dist/server/main.js`],
  ['docs/deploying.md', `node ${startFlag} --enable-source-maps dist/server/main.js`],
])('keeps compiled code while nobody calls, however the server is started: %s', (file, words) => {
  expect(readFileSync(join(findRepositoryRoot(import.meta.dirname), file), 'utf8')).toContain(words);
});
