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
// Fewer calls may be exceptions, and fewer tokens say more about the network than about the model: who leaves
// would pay by the speed of the smallest calls that anybody makes.
const callsMin = 5;
const outputTokensMin = 200;
// In less time an answer comes out of a cache that stands before the provider, or is too short for its speed to be told from the network's.
const durationMsMin = 1_000;
// The fastest service of a model that reasons is measured at 1,844 tokens a second and said by its maker to reach 3,000 (gpt-oss-120b at
// Cerebras: https://artificialanalysis.ai/models/gpt-oss-120b-low/providers). Where another comes to be faster no speed of it is known, and
// calls to it that are left are read to their end.
const tokensPerMsMax = 4;
// Of the calls that are remembered, one in five may have been faster: an odd one must not set the price of leaving.
const slowerShare = 4 / 5;

/**
 * How fast each model of each provider has written lately, so that the reasoning which nobody sees can be estimated from its time.
 * Each process learns for itself, from finished calls whose provider reported. Keeps 20 calls for each route of the catalogue: those
 * of at least 200 tokens a choice that took a second or more at a speed that models have, and others only as a sign that output was not
 * shown.
 */
export class OutputSpeeds {
  readonly #recent = new Map<string, SeenCall[]>();

  learn(route: RouteName, { outputTokens, choices, durationMs, hadUnseenOutput }: FinishedOutput): void {
    const tokensPerMs = findPlausibleSpeed({ outputTokens, choices, durationMs });
    if (tokensPerMs === null && !hadUnseenOutput) return;
    const recent = this.#find(route);
    recent.push({ tokensPerMs, hadUnseenOutput });
    if (recent.length > recentMax) recent.shift();
    this.#recent.set(nameOf(route), recent);
  }

  /** Tokens of one choice in one millisecond, as fast as four of five recent calls at most; null: too few have been seen. */
  findTokensPerMs(route: RouteName): number | null {
    const speeds = this.#find(route)
      .flatMap(({ tokensPerMs }) => tokensPerMs ?? [])
      .sort((a, b) => a - b);
    if (speeds.length < callsMin) return null;
    return speeds[Math.ceil(speeds.length * slowerShare) - 1] ?? null;
  }

  /** Whether one of the recent calls of this route was billed for output that its stream did not show. */
  hasReasonedUnseen(route: RouteName): boolean {
    return this.#find(route).some(({ hadUnseenOutput }) => hadUnseenOutput);
  }

  #find(route: RouteName): SeenCall[] {
    return this.#recent.get(nameOf(route)) ?? [];
  }
}

// null: it cannot be told, or no model has it. Only what is known to be sound passes, so that no count or time that is none does.
function findPlausibleSpeed({ outputTokens, choices, durationMs }: Omit<FinishedOutput, 'hadUnseenOutput'>) {
  const isLong = outputTokens >= outputTokensMin * choices && durationMs >= durationMsMin;
  const tokensPerMs = outputTokens / choices / durationMs;
  return isLong && tokensPerMs > 0 && tokensPerMs <= tokensPerMsMax ? tokensPerMs : null;
}

function nameOf({ providerId, upstreamModel }: RouteName): string {
  return `${providerId}/${upstreamModel}`;
}
