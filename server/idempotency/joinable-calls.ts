import type { LastAsker } from './last-asker.js';

/** A plain call that runs in this process, whose caller still seems to be there. */
export interface JoinableCall {
  readonly callId: string;
  /** How often its client had asked before. */
  readonly retryCount: number;
  /** Has its answer kept for whoever asked for it now. */
  offer(asker: LastAsker): Promise<void>;
}

/**
 * The plain calls that run in this process and that nobody has asked for again, by key and body: a retry of their client takes one of
 * them instead of becoming one more call. Oldest first.
 */
export class JoinableCalls {
  // Two levels, so that a long body is neither copied nor hashed for a call that nobody joins.
  readonly #byKey = new Map<string, Map<string, Set<JoinableCall>>>();

  /** @returns what is to be called when nobody can join any more. */
  enter(apiKeyId: string, body: string, call: JoinableCall): () => void {
    const ofKey = this.#byKey.get(apiKeyId) ?? new Map<string, Set<JoinableCall>>();
    this.#byKey.set(apiKeyId, ofKey);
    const calls = ofKey.get(body) ?? new Set();
    ofKey.set(body, calls);
    calls.add(call);
    return () => void this.take(apiKeyId, body, call);
  }

  list(apiKeyId: string, body: string): JoinableCall[] {
    return [...(this.#byKey.get(apiKeyId)?.get(body) ?? [])];
  }

  /** Nobody else can join it from now on. @returns false: it was taken before, or has ended. */
  take(apiKeyId: string, body: string, call: JoinableCall): boolean {
    const ofKey = this.#byKey.get(apiKeyId);
    const calls = ofKey?.get(body);
    const wasThere = calls?.delete(call) ?? false;
    if (calls?.size === 0) ofKey?.delete(body);
    if (ofKey?.size === 0) this.#byKey.delete(apiKeyId);
    return wasThere;
  }
}
