import { LabelledCounter } from '../kernel/metrics/labelled-counter.js';
import { answerSeconds, commitSeconds, LabelledHistogram, tokenSpeeds } from '../kernel/metrics/labelled-histogram.js';
import { type Metric, writeLabels } from '../kernel/metrics/metric.js';
import type { Ledger } from '../ledger/ledger.js';
import type { CallEnding, CallOutcome, SettleResult, UsageSource } from '../ledger/ledger-types.js';
import type { ProviderHealth } from '../providers/health/provider-health.js';
import type { RouteState } from '../providers/health/route-breaker.js';
import type { FoundModel, ModelCatalogue } from '../providers/model-catalogue.js';

const outcomes: readonly CallOutcome[] = ['completed', 'interrupted', 'abandoned', 'failed', 'expired'];
const sources: readonly UsageSource[] = ['reported', 'estimated', 'none'];
/** How an attempt at a provider ended; whatever else its error was called is `other`. */
const attemptResults = [
  'answered',
  'provider_rejected',
  'provider_rate_limited',
  'provider_unavailable',
  'provider_error',
  'provider_overloaded',
  'provider_timeout',
  'model_error',
];
/** Fewer tokens say more about the network than about the model. */
const speedTokensMin = 16;

const breakerFigure: Readonly<Record<RouteState, number>> = { healthy: 0, degraded: 1, down: 2 };

interface EndedCall {
  readonly model: Pick<FoundModel, 'id' | 'tier'>;
  readonly isStreamed: boolean;
  readonly ending: CallEnding;
  /** null: nothing was booked yet. */
  readonly result: SettleResult | null;
}

/**
 * What the calls of this process came to, by model, provider, tier and outcome. Each is counted once, when it is settled. Labels
 * are models and providers of the catalogue and words of ours, so that no caller can add one.
 */
export class CallMetrics {
  readonly #calls: LabelledCounter;
  readonly #tokens: LabelledCounter;
  readonly #credits: LabelledCounter;
  readonly #attempts: LabelledCounter;
  readonly #retries: LabelledCounter;
  readonly #durations: LabelledHistogram;
  readonly #firstBytes: LabelledHistogram;
  readonly #speeds: LabelledHistogram;
  readonly #ledgerWaits: LabelledHistogram;

  constructor(private readonly catalogue: Pick<ModelCatalogue, 'models' | 'providers'>) {
    const has = (isIt: (value: string) => boolean) => ({ has: isIt });
    const model = { name: 'model', values: has((value) => catalogue.models.some(({ id }) => id === value)) };
    const provider = { name: 'provider', values: has((value) => catalogue.providers.some(({ id }) => id === value)) };
    const tier = { name: 'tier', values: has((value) => catalogue.models.some((found) => found.tier === value)) };
    const source = { name: 'source', values: sources };
    this.#calls = new LabelledCounter('tollgate_calls_total', 'Calls that ended after their credits were held.', [
      ...[model, provider, { name: 'outcome', values: outcomes }],
    ]);
    this.#tokens = new LabelledCounter('tollgate_tokens_total', 'Tokens that were billed, by who counted them.', [
      ...[{ name: 'kind', values: ['prompt', 'completion'] }, tier, source],
    ]);
    const credits = 'Millicredits that were charged; 1,000,000 are one dollar.';
    this.#credits = new LabelledCounter('tollgate_charged_millicredits_total', credits, [tier, source]);
    this.#attempts = new LabelledCounter('tollgate_upstream_attempts_total', 'Requests to providers.', [
      ...[provider, { name: 'result', values: attemptResults }],
    ]);
    const retries = 'Requests to a provider because another route of the same call had failed.';
    this.#retries = new LabelledCounter('tollgate_upstream_retries_total', retries, [provider]);
    const durations = 'From the arrival of a call to the end of its answer.';
    this.#durations = new LabelledHistogram('tollgate_call_duration_seconds', durations, answerSeconds, [
      ...[provider, { name: 'streamed', values: ['true', 'false'] }],
    ]);
    const firstBytes = 'From the arrival of a call to the first piece of its answer.';
    this.#firstBytes = new LabelledHistogram('tollgate_first_token_seconds', firstBytes, answerSeconds, [provider]);
    const speeds = 'Completion tokens in a second of completed streams, from their first piece on.';
    this.#speeds = new LabelledHistogram('tollgate_stream_tokens_per_second', speeds, tokenSpeeds, [provider]);
    const waits = 'How long calls waited until their hold or their settlement was durable.';
    this.#ledgerWaits = new LabelledHistogram('tollgate_ledger_wait_seconds', waits, commitSeconds, [
      { name: 'operation', values: ['hold', 'settle'] },
    ]);
  }

  /** Counts a call that has ended. */
  note({ model, isStreamed, ending, result }: EndedCall): void {
    const { provider, outcome, usageSource, promptTokens, completionTokens, firstByteMs, totalMs } = ending;
    this.#calls.add([model.id, provider, outcome]);
    if (promptTokens > 0) this.#tokens.add(['prompt', model.tier, usageSource], promptTokens);
    if (completionTokens > 0) this.#tokens.add(['completion', model.tier, usageSource], completionTokens);
    if (result?.status === 'settled') this.#credits.add([model.tier, usageSource], result.chargedMillicredits);
    this.#durations.observe([provider, isStreamed ? 'true' : 'false'], totalMs / 1_000);
    if (firstByteMs !== null) {
      this.#firstBytes.observe([provider], firstByteMs / 1_000);
      const streamMs = totalMs - firstByteMs;
      const isTelling = isStreamed && outcome === 'completed' && completionTokens >= speedTokensMin && streamMs > 0;
      if (isTelling) this.#speeds.observe([provider], (completionTokens * 1_000) / streamMs);
    }
    for (const [index, attempt] of (ending.attempts ?? []).entries()) {
      this.#attempts.add([attempt.provider, attempt.errorCode ?? 'answered']);
      if (index > 0) this.#retries.add([attempt.provider]);
    }
  }

  /** The same ledger; how long its callers wait is counted here. */
  watch(ledger: Pick<Ledger, 'placeHold' | 'settleHold'>): Pick<Ledger, 'placeHold' | 'settleHold'> {
    // The ledger's own promise is handed on: one around it would make each call wait two turns more.
    const timed = <Result>(operation: string, result: Promise<Result>): Promise<Result> => {
      const startedMs = performance.now();
      const note = () => this.#ledgerWaits.observe([operation], (performance.now() - startedMs) / 1_000);
      result.then(note, note);
      return result;
    };
    return {
      placeHold: (input) => {
        const hold = ledger.placeHold(input);
        if (hold instanceof Promise) return timed('hold', hold);
        this.#ledgerWaits.observe(['hold'], 0);
        return hold;
      },
      settleHold: (input) => timed('settle', ledger.settleHold(input)),
    };
  }

  list(health: Pick<ProviderHealth, 'stateOf'>): Metric[] {
    const counters = [this.#calls, this.#tokens, this.#credits, this.#attempts, this.#retries];
    const histograms = [this.#durations, this.#firstBytes, this.#speeds, this.#ledgerWaits];
    return [...counters, ...histograms].flatMap((family) => family.list()).concat(this.#listBreakers(health));
  }

  // A route that was never called is sound, and says nothing.
  #listBreakers(health: Pick<ProviderHealth, 'stateOf'>): Metric[] {
    const help =
      'The worst route of each provider: 0 sound, 1 failed lately, being tried again or open for one account, 2 open circuit.';
    return this.catalogue.providers.map(({ id, routes }) => ({
      name: 'tollgate_breaker_state',
      help,
      kind: 'gauge' as const,
      ofSeveral: 'max' as const,
      labels: writeLabels(['provider'], [id]),
      value: Math.max(0, ...routes.map(({ target }) => breakerFigure[health.stateOf(target)])),
    }));
  }
}
