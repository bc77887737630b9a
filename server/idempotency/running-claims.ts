/** The place of one request among all that were claimed. */
export interface ClaimIdentity {
  readonly accountId: string;
  readonly keyHash: string;
}

interface RunningClaim {
  readonly identity: ClaimIdentity;
  readonly ended: Promise<void>;
  readonly end: () => void;
}

/** The claims whose calls run in this process: their leases have to be renewed, and who asks again can wait for their end. */
export class RunningClaims {
  // By call, since a claim that was taken over may meet its successor.
  readonly #byCall = new Map<string, RunningClaim>();
  readonly #callOf = new Map<string, string>();

  begin(identity: ClaimIdentity, callId: string): void {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#byCall.set(callId, { identity, ended, end });
    this.#callOf.set(placeOf(identity), callId);
  }

  /** Whoever waits goes on. A claim that is not there has ended. */
  end(callId: string): void {
    const claim = this.#byCall.get(callId);
    if (!claim) return;
    this.#byCall.delete(callId);
    const place = placeOf(claim.identity);
    if (this.#callOf.get(place) === callId) this.#callOf.delete(place);
    claim.end();
  }

  /** Resolves when the call ends that has claimed this place here; null: it does not run in this process. */
  findEnd(identity: ClaimIdentity): Promise<void> | null {
    const callId = this.#callOf.get(placeOf(identity));
    return (callId === undefined ? undefined : this.#byCall.get(callId)?.ended) ?? null;
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
