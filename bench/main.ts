import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRepositoryRoot } from '../server/test/architecture/source-tree.js';
import { benchGateway } from './bench-gateway.js';
import { benchLedger } from './bench-ledger.js';
import { benchPages } from './bench-pages.js';
import { benchSoak } from './bench-soak.js';

/*
 * `npm run bench -- NAME`: measures, prints a table, and leaves the figures in `bench/results/`. Absolute figures belong to
 * the machine; the ratios of one run may be compared.
 */
const benches: Readonly<Record<string, () => Promise<object>>> = {
  gateway: benchGateway,
  ledger: benchLedger,
  pages: benchPages,
  soak: benchSoak,
};

const name = process.argv[2] ?? '';
const bench = benches[name];
if (bench === undefined) {
  console.error(`Say which: ${Object.keys(benches).join(', ')}. For example: npm run bench -- ledger`);
  process.exit(2);
}
const startedAt = new Date().toISOString();
const figures = await bench();
const folder = join(findRepositoryRoot(import.meta.dirname), 'bench/results');
mkdirSync(folder, { recursive: true });
const file = join(folder, `${name}-${startedAt.replaceAll(':', '')}.json`);
writeFileSync(file, `${JSON.stringify({ name, startedAt, node: process.version, ...figures }, null, 2)}\n`);
console.log(`\nThe figures are in bench/results/${name}-….json.`);
