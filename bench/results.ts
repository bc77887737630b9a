import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRepositoryRoot } from '../server/test/architecture/source-tree.js';

const folder = join(findRepositoryRoot(import.meta.dirname), 'bench/results');

/** Keeps the figures of a run. @returns the file, seen from the project's folder. */
export function writeResult(name: string, startedAt: string, figures: object): string {
  mkdirSync(folder, { recursive: true });
  const file = `${name}-${startedAt.replaceAll(':', '')}.json`;
  const result = { name, startedAt, node: process.version, ...figures };
  writeFileSync(join(folder, file), `${JSON.stringify(result, null, 2)}\n`);
  return `bench/results/${file}`;
}

/** The newest run of that bench on this very version of Node.js; null where there is none. */
export function findNewestResult(name: string): (Record<string, unknown> & { startedAt: string }) | null {
  for (const file of listResults(name)) {
    const result = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    if (result.node === process.version) return result;
  }
  return null;
}

function listResults(name: string): string[] {
  try {
    const files = readdirSync(folder).filter((file) => file.startsWith(`${name}-`) && file.endsWith('.json'));
    return files.sort().reverse();
  } catch {
    return [];
  }
}
