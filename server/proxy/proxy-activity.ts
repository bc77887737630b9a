import { RunningWork } from '../kernel/jobs/running-work.js';
import type { AdmissionQueue } from '../limits/admission-queue.js';
import type { LeftCalls } from './left-calls.js';
import type { TokenCounter } from './metering/token-counter.js';

/** Counts of one provider for one model that cannot be true. */
export interface ImplausibleUsage {
  readonly provider: string;
  readonly model: string;
  readonly calls: number;
}

/** Of different providers and models; of further ones the counter and the log tell. */
const implausibleKindsMax = 100;

/** What this process's calls met with since its start, for the operator's monitoring. */
export class ProxyActivity {
  /** Answers that are being streamed. */
  readonly streams = new RunningWork();
  #outputCapsIgnored = 0;
  #implausibleUsages = 0;
  readonly #implausible = new Map<string, ImplausibleUsage>();

  noteOutputCapIgnored(): void {
    this.#outputCapsIgnored += 1;
  }

  /** A provider counted more for one call than can be true. */
  noteImplausibleUsage(provider: string, model: string): void {
    this.#implausibleUsages += 1;
    const kind = `${provider} ${model}`;
    const calls = (this.#implausible.get(kind)?.calls ?? 0) + 1;
    if (calls > 1 || this.#implausible.size < implausibleKindsMax) {
      this.#implausible.set(kind, { provider, model, calls });
    }
  }

  /** What was noted since this was last asked. */
  takeImplausibleUsage(): readonly ImplausibleUsage[] {
    const taken = [...this.#implausible.values()];
    this.#implausible.clear();
    return taken;
  }

  get implausibleUsages(): number {
    return this.#implausibleUsages;
  }

  get outputCapsIgnored(): number {
    return this.#outputCapsIgnored;
  }
}

interface ProxyWork {
  readonly activity: ProxyActivity;
  readonly tokenCounter: Pick<TokenCounter, 'givenUpCount'>;
  readonly leftCalls: Pick<LeftCalls, 'count'>;
  readonly admissionQueue: Pick<AdmissionQueue, 'waitingCount' | 'refusedCount'>;
}

/** The same in figures. */
export function listProxyMetrics({ activity, tokenCounter, leftCalls, admissionQueue }: ProxyWork) {
  return [
    {
      name: 'tollgate_calls_waiting',
      help: 'Calls that wait to be begun, because this process has more than it can work at.',
      kind: 'gauge' as const,
      value: admissionQueue.waitingCount,
    },
    {
      name: 'tollgate_calls_not_begun_total',
      help: 'Calls that were refused because they waited for ten seconds, or behind too many.',
      kind: 'counter' as const,
      value: admissionQueue.refusedCount,
    },
    {
      name: 'tollgate_output_caps_ignored_total',
      help: 'Streams that were cut because their provider wrote on past the output cap.',
      kind: 'counter' as const,
      value: activity.outputCapsIgnored,
    },
    {
      name: 'tollgate_implausible_usage_total',
      help: 'Calls that were billed up to their hold because their provider reported more than can be true.',
      kind: 'counter' as const,
      value: activity.implausibleUsages,
    },
    {
      name: 'tollgate_left_calls_read_on',
      help: 'Streams whose callers have left and that are read on for their usage.',
      kind: 'gauge' as const,
      value: leftCalls.count,
    },
    {
      name: 'tollgate_token_counts_given_up_total',
      help: 'Counts that were given up because the tokenizer had too much to do: a sample stands for the text.',
      kind: 'counter' as const,
      value: tokenCounter.givenUpCount,
    },
  ];
}
