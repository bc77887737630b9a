import { execFileSync } from 'node:child_process';
import { collectorFlag } from './tune-garbage-collector.js';

it('names a flag that this Node.js knows: another one would be passed over, and calls would grow old unseen', () => {
  expect(() => execFileSync(process.execPath, [collectorFlag, '--eval', ''], { stdio: 'pipe' })).not.toThrow();
  expect(() => execFileSync(process.execPath, ['--no-such-flag', '--eval', ''], { stdio: 'pipe' })).toThrow();
});
