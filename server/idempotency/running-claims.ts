import { CallWaiters } from './call-waiters.js';
import type { WholeAnswer } from './whole-answer.js';

/** The place of one request among all that were claimed. */
export interface ClaimIdentity {
  readonly accountId: string;
  readonly keyHash: string;
}

/** An answer out of the memory of this process, and the call that has made it. */
export interface HandedAnswer {
  readonly callId: string;
  readonly answer: WholeAnswer;
}

/** A call of this process that has claimed a place. */
export interface RunningCall {
  readonly callId: string;
  /** Resolves when it ends, with its answer where it has handed one over. */
  readonly ended: Promise<HandedAnswer | null>;
  /** Those who asked again and wait for its end. */
  readonly waiters: CallWaiters;
}

interface RunningClaim extends RunningCall {
  readonly identity: ClaimIdentity;
  readonly end: (handed: HandedAnswer | null) => void;
}

/** The claims whose calls run in this process: their leases have to be renewed, and who asks again can wait for their end. */
export class RunningClaims {
  // By call, since a claim that was taken over may meet its successor.
  readonly #byCall = new Map<string, RunningClaim>();
  readonly #callOf = new Map<string, string>();

  begin(identity: ClaimIdentity, callId: string): void {
    let end: RunningClaim['end'] = () => {};
    const ended = new Promise<HandedAnswer | null>((resolve) => {
      end = resolve;
    });
    this.#byCall.set(callId, { callId, identity, ended, end, waiters: new CallWaiters() });
    this.#callOf.set(placeOf(identity), callId);
  }

  /**
   * Whoever waits is given the answer, however long it is; null: there is none to be had here, and they go on. A claim that is not
   * there has ended.
   */
  end(callId: string, answer: WholeAnswer | null): void {
    const claim = this.#byCall.get(callId);
    if (!claim) return;
    this.#byCall.delete(callId);
    const place = placeOf(claim.identity);
    if (this.#callOf.get(place) === callId) this.#callOf.delete(place);
    claim.end(answer === null ? null : { callId, answer });
  }

  /** Finds a call; null: it does not run in this process. */
  findCall(callId: string): RunningCall | null {
    return this.#byCall.get(callId) ?? null;
  }

  /** Finds the call that has claimed this place; null: it does not run in this process. */
  find(identity: ClaimIdentity): RunningCall | null {
    const callId = this.#callOf.get(placeOf(identity));
    return (callId === undefined ? undefined : this.#byCall.get(callId)) ?? null;
  }

  /** Lists the calls of an account whose places begin so, the oldest first. */
  list(accountId: string, keyHashStart: string): RunningCall[] {
    const start = placeOf({ accountId, keyHash: keyHashStart });
    return [...this.#byCall.values()].filter(({ identity }) => placeOf(identity).startsWith(start));
  }

  /** What runs here, in groups of at most this many. */
  *listInGroups(sizeMax: number): Generator<(ClaimIdentity & { callId: string })[]> {
    const all = [...this.#byCall].map(([callId, { identity }]) => ({ ...identity, callId }));
    for (let start = 0; start < all.length; start += sizeMax) yield all.slice(start, start + sizeMax);
  }
}

function placeOf({ accountId, keyHash }: ClaimIdentity): string {
  return `${accountId} ${keyHash}`;
}
