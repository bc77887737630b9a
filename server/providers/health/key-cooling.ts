import type { AppError } from '../../kernel/app-error.js';
import { findRouteFault } from './route-fault.js';

/** One of a provider's keys, and whose call of which model it goes out with. */
export interface KeyUse {
  readonly keyId: string;
  readonly upstreamModel: string;
  readonly accountId: string;
}

/** The rest of a key from one account alone, for one model. */
interface AccountRest {
  readonly accountId: string;
  readonly begunElapsedMs: number;
  readonly untilElapsedMs: number;
  /** Whether the provider said how long to wait. */
  readonly isWaitAsked: boolean;
}

interface ModelRest {
  /** From all accounts. */
  untilElapsedMs: number;
  /** Whose requests may have brought about all refusals since the last answer; null: nobody's. */
  suspect: string | null;
  own: AccountRest | null;
}

/** Where the provider does not say how long to wait. */
const rateLimitedMs = 30_000;
/** A key that is refused for what it is, or for its account, is rarely mended sooner. */
const refusedMs = 5 * 60_000;
const cooledMsMax = 5 * 60_000;
const never = Number.NEGATIVE_INFINITY;

/**
 * Which keys rest, and for whom. A refusal that no request can have brought about lets the key rest from everybody. Any other, a 403 over
 * what one caller wrote or over one model, a 429 over the size of one request, lets it rest from the account that asked, for the model
 * that was asked for; from all accounts where two of them are refused with no answer between, as circuits do (`RouteBreaker`). The first
 * answer ends the rest from one account, but not a wait that the provider asked for.
 *
 * Goes by elapsed time. Keeps one account for each key and model. Outlives the rings of keys, which are made anew with every change of the
 * operator's.
 */
export class KeyCooling {
  readonly #restsOfKeys = new Map<string, number>();
  readonly #restsOfModels = new Map<string, Map<string, ModelRest>>();

  /** Is told how an attempt failed. @returns whether it was the key that was refused, so that it rests. */
  noteFailure(use: KeyUse, error: unknown, elapsedMs: number): boolean {
    const fault = findRouteFault(error, { hasOutput: false });
    const restMs = fault === null ? null : findRestMs(fault.error);
    if (fault === null || restMs === null) return false;
    const untilElapsedMs = elapsedMs + restMs;
    if (fault.scope === 'anyone') {
      this.#restsOfKeys.set(use.keyId, untilElapsedMs);
      return true;
    }
    const rest = this.#findRest(use) ?? this.#addRest(use);
    const { accountId } = use;
    // Of attempts that were under way when its rest began, none lengthens it.
    if (rest.untilElapsedMs > elapsedMs) return true;
    if (rest.suspect === null || rest.suspect === accountId) {
      const isWaitAsked = (fault.error.retryAfterMs ?? 0) > 0;
      rest.suspect = accountId;
      rest.own = { accountId, begunElapsedMs: elapsedMs, untilElapsedMs, isWaitAsked };
    } else {
      Object.assign(rest, { untilElapsedMs, suspect: null, own: null });
    }
    return true;
  }

  /** Is told of an answer. @param begunElapsedMs When its attempt began: of a rest that began later it says nothing. */
  noteAnswer(use: KeyUse, begunElapsedMs: number, elapsedMs: number): void {
    const rest = this.#findRest(use);
    if (rest === null) return;
    const { own } = rest;
    if (own !== null && own.begunElapsedMs > begunElapsedMs) return;
    rest.suspect = null;
    if (own === null || !own.isWaitAsked || own.untilElapsedMs <= elapsedMs) rest.own = null;
  }

  /** Until when the key rests from this use, in elapsed milliseconds; null: it may be used now. */
  findUntilMs(use: KeyUse, elapsedMs: number): number | null {
    const rest = this.#findRest(use);
    const ownUntil = rest?.own?.accountId === use.accountId ? rest.own.untilElapsedMs : never;
    const ofKey = this.#restsOfKeys.get(use.keyId) ?? never;
    return findLater([ofKey, rest?.untilElapsedMs ?? never, ownUntil], elapsedMs);
  }

  /** Until when the key rests from all accounts for one of its models at least, in elapsed milliseconds; null: it does not. */
  findUntilMsForAll(keyId: string, elapsedMs: number): number | null {
    const ofModels = [...(this.#restsOfModels.get(keyId)?.values() ?? [])].map(({ untilElapsedMs }) => untilElapsedMs);
    return findLater([this.#restsOfKeys.get(keyId) ?? never, ...ofModels], elapsedMs);
  }

  /** Forgets keys that are there no more. */
  keepOnly(keyIds: ReadonlySet<string>): void {
    for (const rests of [this.#restsOfKeys, this.#restsOfModels])
      for (const id of rests.keys()) if (!keyIds.has(id)) rests.delete(id);
  }

  #findRest({ keyId, upstreamModel }: KeyUse): ModelRest | null {
    return this.#restsOfModels.get(keyId)?.get(upstreamModel) ?? null;
  }

  #addRest({ keyId, upstreamModel }: KeyUse): ModelRest {
    const rest: ModelRest = { untilElapsedMs: never, suspect: null, own: null };
    const ofKey = this.#restsOfModels.get(keyId) ?? new Map<string, ModelRest>();
    this.#restsOfModels.set(keyId, ofKey.set(upstreamModel, rest));
    return rest;
  }
}

// null: it was not the key.
function findRestMs({ code, retryAfterMs }: AppError): number | null {
  if (code === 'provider_rate_limited') return Math.min(retryAfterMs ?? rateLimitedMs, cooledMsMax);
  return code === 'provider_unavailable' ? refusedMs : null;
}

function findLater(untilMs: readonly number[], elapsedMs: number): number | null {
  const last = Math.max(...untilMs);
  return last > elapsedMs ? last : null;
}
