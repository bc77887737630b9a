import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchBodies } from './bench-bodies.js';
import { benchGateway } from './bench-gateway.js';
import { benchInstances } from './bench-instances.js';
import { benchLedger } from './bench-ledger.js';
import { benchMove } from './bench-move.js';
import { benchOverload } from './bench-overload.js';
import { benchPages } from './bench-pages.js';
import { benchRetention } from './bench-retention.js';
import { benchScreens } from './bench-screens.js';
import { benchSignIn } from './bench-sign-in.js';
import { benchSizes } from './bench-sizes.js';
import { benchSoak } from './bench-soak.js';
import { PeerUnavailableError } from './install-peer.js';
import { type PeerName, readPeerNames } from './peers.js';
import { writeResult } from './results.js';

/*
 * `npm run bench -- NAME`: measures, prints a table, and leaves the figures in `bench/results/`. Absolute figures belong to
 * the machine; the ratios of one run may be compared.
 */
const benches: Readonly<Record<string, (peers: readonly PeerName[]) => Promise<object>>> = {
  bodies: benchBodies,
  gateway: benchGateway,
  instances: benchInstances,
  ledger: benchLedger,
  move: benchMove,
  overload: benchOverload,
  pages: benchPages,
  retention: benchRetention,
  screens: benchScreens,
  'sign-in': benchSignIn,
  sizes: benchSizes,
  soak: benchSoak,
};

const { name, bench, peers } = readArguments();
keepEverythingInOneFolder();
const startedAt = new Date().toISOString();
try {
  const file = writeResult(name, startedAt, await bench(peers));
  console.log(`\nThe figures are in ${file}.`);
} catch (error) {
  console.error(error instanceof PeerUnavailableError ? error.message : error);
  process.exitCode = 1;
}
// Whatever a bench that failed has left running ends with this process.
process.exit();

function readArguments() {
  try {
    const { positionals, values } = parseArgs({ allowPositionals: true, options: { peer: { type: 'string' } } });
    const [name = '', ...others] = positionals;
    const bench = benches[name];
    if (bench === undefined || others.length > 0) throw new Error(`Say which: ${Object.keys(benches).join(', ')}`);
    if (values.peer === undefined) return { name, bench, peers: [] };
    if (name !== 'gateway') throw new Error('There are peers of gateway only');
    return { name, bench, peers: readPeerNames(values.peer) };
  } catch (error) {
    console.error(`${(error as Error).message}. For example: npm run bench -- gateway --peer portkey,litellm,one-api`);
    return process.exit(2);
  }
}

// However the run ends, nothing is left: databases, spools and an installed peer all lie in the folder for temporary files.
function keepEverythingInOneFolder(): void {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  process.env.TMPDIR = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
}
