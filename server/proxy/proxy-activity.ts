import type { LeftCalls } from './left-calls.js';
import type { TokenCounter } from './token-counter.js';

/** What this process's calls met with since its start, for the operator's monitoring. */
export class ProxyActivity {
  #outputCapsIgnored = 0;

  noteOutputCapIgnored(): void {
    this.#outputCapsIgnored += 1;
  }

  get outputCapsIgnored(): number {
    return this.#outputCapsIgnored;
  }
}

/** The same in figures. */
export function listProxyMetrics(
  activity: ProxyActivity,
  tokenCounter: Pick<TokenCounter, 'givenUpCount'>,
  leftCalls: Pick<LeftCalls, 'count'>,
) {
  return [
    {
      name: 'tollgate_output_caps_ignored_total',
      help: 'Streams that were cut because their provider wrote on past the output cap.',
      kind: 'counter' as const,
      value: activity.outputCapsIgnored,
    },
    {
      name: 'tollgate_left_calls_read_on',
      help: 'Streams whose callers have left and that are read on for their usage.',
      kind: 'gauge' as const,
      value: leftCalls.count,
    },
    {
      name: 'tollgate_token_counts_given_up_total',
      help: 'Estimates that were made from bytes because the tokenizer had too much to do.',
      kind: 'counter' as const,
      value: tokenCounter.givenUpCount,
    },
  ];
}
