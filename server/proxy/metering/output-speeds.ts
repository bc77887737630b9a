import type { UpstreamTarget } from '../../providers/provider-adapter.js';

type RouteName = Pick<UpstreamTarget, 'providerId' | 'upstreamModel'>;

/** What a finished call, whose provider reported its usage, shows of its model. */
export interface FinishedOutput {
  /** As the provider reported it, of all choices. */
  readonly outputTokens: number;
  readonly choices: number;
  /** From the sending of the request to the end of the answer. */
  readonly durationMs: number;
  /** Whether it was billed for output that its stream did not show. */
  readonly hadUnseenOutput: boolean;
}

interface SeenCall {
  /** Tokens of one choice in one millisecond; null: it cannot be told. */
  readonly tokensPerMs: number | null;
  readonly hadUnseenOutput: boolean;
}

const recentMax = 20;
/** Of each route; who has called longest ago is forgotten first. */
const accountsMax = 100;
// Fewer calls may be exceptions, and fewer tokens say more about the network than about the model: who leaves
// would pay by the speed of the smallest calls that anybody makes.
const callsMin = 5;
const outputTokensMin = 200;
// In less time an answer comes out of a cache that stands before the provider, or is too short for its speed to be told from the network's.
const durationMsMin = 1_000;
// The fastest service of a model that reasons is measured at 1,844 tokens a second and said by its maker to reach 3,000 (gpt-oss-120b at
// Cerebras: https://artificialanalysis.ai/models/gpt-oss-120b-low/providers). Where another comes to be faster no speed of it is known, and
// calls to it that are left are read to their end.
export const fastestTokensPerMs = 4;
// Of the calls that are remembered, one in five may have been faster: an odd one must not set the price of leaving.
const slowerShare = 4 / 5;
const callsOfAccountMax = 2;
// Each account has one voice, however much it calls, and of seven the fastest three are passed over.
const accountsMin = 7;
// What the accounts of others show may make leaving no dearer than this. Models that hide their reasoning write some hundred
// tokens a second; where more is shown, by whomever, streams are read to their end and charged as reported.
const borrowedTokensPerMsMax = 0.5;

/**
 * How fast each model of each provider has written lately, so that the reasoning which nobody sees can be estimated from its time.
 * Each process learns for itself, from finished calls whose provider reported. What counts for an account are its own last 20 calls on a
 * route, where five of them show a speed: nobody else's move what it pays. Else it is the middle of what at least seven accounts show, each
 * by the middle of its own, up to half a token in a millisecond: fewer than half of the accounts that are kept move it beyond
 * what the others show, and all of them not beyond that bound. Kept are calls of at least 200 tokens a choice that took a second or more at a speed that models have, and others only as a sign that output was not
 * shown; 20 of each account, and the 100 accounts of a route that called last.
 */
export class OutputSpeeds {
  /** Route -> account -> its calls, oldest first; who called last is the last. */
  readonly #recent = new Map<string, Map<string, SeenCall[]>>();

  learn(
    route: RouteName,
    accountId: string,
    { outputTokens, choices, durationMs, hadUnseenOutput }: FinishedOutput,
  ): void {
    const tokensPerMs = findPlausibleSpeed({ outputTokens, choices, durationMs });
    if (tokensPerMs === null && !hadUnseenOutput) return;
    const accounts = this.#recent.get(nameOf(route)) ?? new Map<string, SeenCall[]>();
    const own = accounts.get(accountId) ?? [];
    own.push({ tokensPerMs, hadUnseenOutput });
    if (own.length > recentMax) own.shift();
    accounts.delete(accountId);
    const [oldest] = accounts.size >= accountsMax ? accounts.keys() : [];
    if (oldest !== undefined) accounts.delete(oldest);
    accounts.set(accountId, own);
    this.#recent.set(nameOf(route), accounts);
  }

  /**
   * What this account pays by when it leaves: tokens of one choice in one millisecond. By its own calls it is as fast as four of five
   * of them at most; null: too few have been seen, or what others show is faster than may be believed of them.
   */
  findTokensPerMs(route: RouteName, accountId: string): number | null {
    const own = listSpeeds(this.#findOwn(route, accountId));
    if (own.length >= callsMin) return findFourOfFive(own);
    const shown = [...this.#accountsOf(route)].flatMap((calls) => findMiddle(listSpeeds(calls)) ?? []);
    const borrowed = shown.length >= accountsMin ? findMiddle(shown) : null;
    return borrowed !== null && borrowed <= borrowedTokensPerMsMax ? borrowed : null;
  }

  /** Whether a recent call of this route, of this account or among the newest of all, was billed for output that its stream did not show. */
  hasReasonedUnseen(route: RouteName, accountId: string): boolean {
    const ofAll = this.#listNewest(route);
    return [...this.#findOwn(route, accountId), ...ofAll].some(({ hadUnseenOutput }) => hadUnseenOutput);
  }

  #findOwn(route: RouteName, accountId: string): readonly SeenCall[] {
    return this.#recent.get(nameOf(route))?.get(accountId) ?? [];
  }

  #accountsOf(route: RouteName): Iterable<readonly SeenCall[]> {
    return this.#recent.get(nameOf(route))?.values() ?? [];
  }

  #listNewest(route: RouteName): readonly SeenCall[] {
    const newestFirst = [...this.#accountsOf(route)].reverse().slice(0, recentMax);
    return newestFirst.flatMap((calls) => calls.slice(-callsOfAccountMax)).slice(0, recentMax);
  }
}

function listSpeeds(calls: readonly SeenCall[]): readonly number[] {
  return calls.flatMap(({ tokensPerMs }) => tokensPerMs ?? []);
}

function findFourOfFive(speeds: readonly number[]): number | null {
  return findAtShare(speeds, slowerShare);
}

// Of an even number the slower one of both.
function findMiddle(speeds: readonly number[]): number | null {
  return findAtShare(speeds, 1 / 2);
}

function findAtShare(speeds: readonly number[], share: number): number | null {
  const slowestFirst = [...speeds].sort((a, b) => a - b);
  return slowestFirst[Math.ceil(speeds.length * share) - 1] ?? null;
}

// null: it cannot be told, or no model has it. Only what is known to be sound passes, so that no count or time that is none does.
function findPlausibleSpeed({ outputTokens, choices, durationMs }: Omit<FinishedOutput, 'hadUnseenOutput'>) {
  const isLong = outputTokens >= outputTokensMin * choices && durationMs >= durationMsMin;
  const tokensPerMs = outputTokens / choices / durationMs;
  return isLong && tokensPerMs > 0 && tokensPerMs <= fastestTokensPerMs ? tokensPerMs : null;
}

function nameOf({ providerId, upstreamModel }: RouteName): string {
  return `${providerId}/${upstreamModel}`;
}
