import type { CloseStage, CloseSteps } from '../kernel/jobs/close-in-order.js';

/** What is behind the addresses, by what still needs what. */
export interface StepsBehind {
  /** What the process does by itself, and what calls have left to be written: it books, and asks the database. */
  readonly work: CloseSteps;
  /** The ledger and what is shared with other instances; none needs another. */
  readonly stores: CloseSteps;
  readonly connections: CloseSteps;
}

/*
 * Half a minute is what supervisors are told to give for letting go (docs/operations/start-and-stop.md), and the calls may take 12 seconds of it. What a
 * call has used is in the database or in the spool before its answer ends, so no time that is over here loses a settlement.
 */

/** A webhook has 5 seconds, a step of a job as long: then it is told and noted, and not once more by another instance. */
const workMsMax = 7_000;
/** A commit may take 3 seconds after the one that waits for it, and leases are given back by one more. */
const storesMsMax = 8_000;
/** Over a network that swallows everything, connections do not end. */
const connectionsMsMax = 2_000;

/** What is closed behind the addresses once no call runs, in the order of need: it takes 17 seconds at most. */
export function listCloseStages({ work, stores, connections }: StepsBehind): readonly CloseStage[] {
  return [
    { steps: work, timeoutMs: workMsMax },
    { steps: stores, timeoutMs: storesMsMax },
    { steps: connections, timeoutMs: connectionsMsMax },
  ];
}
