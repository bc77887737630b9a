import type { UpstreamTarget } from '../providers/provider-adapter.js';

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

interface RouteSpeeds {
  /** Tokens of one choice in one millisecond; the newest last. */
  readonly recent: number[];
  /** Whether it was ever seen to reason unseen. */
  reasonsUnseen: boolean;
}

const recentMax = 20;
// Fewer tokens say more about the network than about the model.
const outputTokensMin = 16;

/**
 * How fast each model of each provider has written lately, so that the reasoning which nobody sees can be estimated from its time.
 * Each process learns for itself, from finished calls whose provider reported. One entry for each route of the catalogue.
 */
export class OutputSpeeds {
  readonly #routes = new Map<string, RouteSpeeds>();

  learn(route: RouteName, { outputTokens, choices, durationMs, hadUnseenOutput }: FinishedOutput): void {
    const speeds = this.#find(route) ?? { recent: [], reasonsUnseen: false };
    this.#routes.set(nameOf(route), speeds);
    if (hadUnseenOutput) speeds.reasonsUnseen = true;
    if (outputTokens < outputTokensMin * choices || durationMs <= 0) return;
    speeds.recent.push(outputTokens / choices / durationMs);
    if (speeds.recent.length > recentMax) speeds.recent.shift();
  }

  /** Tokens of one choice in one millisecond, of the fastest of the last 20 calls; null: none is known. */
  findTokensPerMs(route: RouteName): number | null {
    const recent = this.#find(route)?.recent ?? [];
    return recent.length === 0 ? null : Math.max(...recent);
  }

  /** Whether a finished call of this route was billed for output that its stream did not show. */
  hasReasonedUnseen(route: RouteName): boolean {
    return this.#find(route)?.reasonsUnseen === true;
  }

  #find(route: RouteName): RouteSpeeds | undefined {
    return this.#routes.get(nameOf(route));
  }
}

function nameOf({ providerId, upstreamModel }: RouteName): string {
  return `${providerId}/${upstreamModel}`;
}
