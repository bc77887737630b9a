import { AsyncLocalStorage } from 'node:async_hooks';
import type { Standing } from '../database/standing.js';
import type { MemberRole } from '../kernel/member-role.js';

/** Who does something, and from where. */
export interface Actor {
  /** The id of a session or an API key; null: somebody who is not signed in. */
  readonly actorId: string | null;
  /** The person whose session it is; left out: it is none. */
  readonly personId?: string | null;
  /** What that person is in the account. */
  readonly role?: MemberRole | null;
  /** The network address that the request came from. */
  readonly address: string;
  /** What the program calls itself; null: it does not say. */
  readonly userAgent: string | null;
}

/** Whose work it is; null: it has ended, and what it left running acts for nobody. */
interface Work {
  actor: Actor | null;
  standing: Standing | null;
}

const acting = new AsyncLocalStorage<Work>();
let actorsAtWork = 0;

/**
 * Runs `work` in the name of somebody: every event that it writes until it ends, however deep, says so. The edge knows who asks,
 * and the services in between have no other use for it.
 * @param actor null: events tell of nobody, as those of operators do.
 * @param standing What each transaction of that work proves first; null: nothing.
 */
export async function actAs<Result>(
  actor: Actor | null,
  work: () => Result | Promise<Result>,
  standing: Standing | null = null,
): Promise<Result> {
  const own: Work = { actor, standing };
  actorsAtWork += 1;
  try {
    return await acting.run(own, work);
  } finally {
    own.actor = null;
    own.standing = null;
    actorsAtWork -= 1;
    // Until Node 24 a storage in use is asked at every promise of the process, so that each call of the proxy pays for it.
    if (actorsAtWork === 0) acting.disable();
  }
}

/** Runs what the server does by itself, whoever's work has led to it: in nobody's name, and with nothing to prove. */
export function actForServer<Result>(work: () => Result): Result {
  return acting.getStore() === undefined ? work() : acting.run({ actor: null, standing: null }, work);
}

/** In whose name this code runs; null: this server's own, also for what goes on after the work has ended. */
export function findActor(): Actor | null {
  return acting.getStore()?.actor ?? null;
}

/** Who has to be let in still when a transaction of this code writes; null: nobody, as `findActor` says. */
export function findStanding(): Standing | null {
  return acting.getStore()?.standing ?? null;
}
