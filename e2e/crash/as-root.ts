import { execFileSync } from 'node:child_process';

/** Runs a program as root: as we are, or by a `sudo` that asks for no password. @throws when it ends badly. */
export function asRoot(program: string, ...words: string[]): void {
  const isRoot = process.getuid?.() === 0;
  const [file, args] = isRoot ? [program, words] : ['sudo', ['-n', program, ...words]];
  execFileSync(file, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
