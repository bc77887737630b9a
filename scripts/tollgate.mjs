import './check-node-version.mjs';
import { runCheck } from './run-check.mjs';

/*
 * `npm run tollgate -- …`: what an operator does by hand in the database that `npm start` would use, gift codes above all. Without
 * a command it says which ones there are.
 */
await runCheck('tollgate');
