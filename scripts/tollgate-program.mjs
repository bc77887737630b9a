#!/usr/bin/env node
import './check-node-version.mjs';
import { failToStart, makeReady, runBuilt, stopWithParent } from './make-ready.mjs';
import { readEnvFile } from './read-env-file.mjs';

/*
 * `npx tollgate`: the installed package. It runs in the folder where it is called: `.env`, `tollgate.yaml` and `data/` are looked
 * for there. `npx tollgate start` is the server, the other words are those of the operator's programs.
 */
const programs = new Map([
  ['start', 'main'],
  ['verify', 'cli/verify'],
  ['reconcile', 'cli/reconcile'],
  ['migrate', 'cli/migrate'],
  ['seed', 'cli/seed'],
]);

const [word = ''] = process.argv.slice(2);
const program = programs.get(word);
try {
  readEnvFile();
  await makeReady();
} catch (error) {
  failToStart(error, 2);
}
// Each of them reads its own words from the second place on.
if (program !== undefined) process.argv.splice(2, 1);
// A command of the operator comes to its own end; only a server has to be told.
if (program === 'main' && process.env.npm_lifecycle_event === 'npx') stopWithParent();
await runBuilt(program ?? 'cli/tollgate');
