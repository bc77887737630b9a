import './check-node-version.mjs';
import { runCheck } from './run-check.mjs';

/*
 * `npm run migration:run` and `npm run migration:revert`, on the database that `npm start` would use. The server runs what is
 * missing by itself when it starts.
 */
await runCheck('migrate');
