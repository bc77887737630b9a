import './check-node-version.mjs';
import { existsSync } from 'node:fs';
import { installAndBuild } from './prepare.mjs';
import { packageProgram, projectRoot, runStep, stopStepsOnSignal } from './run-step.mjs';

/*
 * `npm run migration:run` and `npm run migration:revert`: TypeORM's command line on the database that `npm start` would
 * use. The server runs what is missing by itself when it starts.
 */
process.chdir(projectRoot);
stopStepsOnSignal();
await installAndBuild();
if (existsSync('.env')) process.loadEnvFile('.env');
const command = [...packageProgram('typeorm'), `migration:${process.argv[2]}`, '--dataSource', 'dist/ormconfig.js'];
await runStep({ title: 'TypeORM', command });
