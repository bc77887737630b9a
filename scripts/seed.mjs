import './check-node-version.mjs';
import { runCheck } from './run-check.mjs';

/*
 * `npm run seed`: a demo account with months of use, in the database that `npm start` would use. `npm run seed -- 100000`
 * asks for that many calls. Its exit status: 0 the account is there, 1 it was refused and says why.
 */
await runCheck('seed');
