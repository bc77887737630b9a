import './check-node-version.mjs';
import { runCheck } from './run-check.mjs';

/*
 * `npm run purchases:reconcile`: posts what Stripe's webhook never told us, in the database that `npm start` would use. Exit
 * status: 0 all agrees now, 1 something does not fit, 2 it could not look, which includes a build that failed.
 */
await runCheck('reconcile');
