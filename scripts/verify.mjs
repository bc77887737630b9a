import './check-node-version.mjs';
import { runCheck } from './run-check.mjs';

/*
 * `npm run ledger:verify`: proves the books of the database that `npm start` would use. Its exit status is the answer: 0 the
 * ledger adds up, 1 something is broken, 2 it could not look, which includes a build that failed.
 */
await runCheck('verify');
