import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRepositoryRoot } from '../../server/test/architecture/source-tree.js';

/** The last release: the last one before the estimates' parts, the addresses' verification and all that came with them. */
export const earlierReleaseCommit = 'da96bcf64fc91e1be30b529a844c6a1adc0da228';

const root = findRepositoryRoot(import.meta.dirname);

/**
 * The server of an earlier release, as built with the packages that are here now. What it alone needs, `rate-limiter-flexible` and
 * `cockatiel`, are development packages for that.
 */
export interface EarlierRelease {
  readonly mainScript: string;
  remove(): void;
}

/** Whether the history of this clone goes back so far; a shallow clone's does not. */
export function hasEarlierRelease(): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${earlierReleaseCommit}^{commit}`], { cwd: root, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Takes the code of the last release out of the history, and builds it in a folder of its own. */
export function buildEarlierRelease(): EarlierRelease {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-release-'));
  try {
    const archive = join(folder, 'release.tar');
    execFileSync(
      'git',
      ['archive', `--output=${archive}`, earlierReleaseCommit, 'server', 'package.json', 'tsconfig.json'],
      {
        cwd: root,
      },
    );
    execFileSync('tar', ['-xf', archive], { cwd: folder });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const project = {
      extends: './tsconfig.json',
      compilerOptions: { types: ['node'], sourceMap: false },
      include: ['server'],
      exclude: ['**/*.test.ts', 'server/test'],
    };
    writeFileSync(join(folder, 'tsconfig.release.json'), JSON.stringify(project));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [compiler, '--project', 'tsconfig.release.json'], { cwd: folder });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  const mainScript = join(folder, 'dist/server/main.js');
  if (!existsSync(mainScript)) throw new Error(`The earlier release has no ${mainScript}.`);
  return { mainScript, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
