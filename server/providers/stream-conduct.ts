/** How a provider treats a stream, as far as it matters to who leaves one. */
export interface StreamConduct {
  /** Whether it stops writing, and billing, when its connection is closed. false: it writes on, or nobody says. */
  readonly stopsOnAbort: boolean;
  /** Whether its streams show every token of reasoning that it bills. false: it hides or sums up some, or nobody says. */
  readonly showsReasoning: boolean;
}

/** Of whom nothing is known: such a stream is read to its end. */
export const unknownConduct: StreamConduct = { stopsOnAbort: false, showsReasoning: false };

interface KnownConduct extends StreamConduct {
  /** Where it is written. */
  readonly sources: readonly string[];
}

// A list of who stops "model processing and billing" when a connection is aborted, and of who does not, kept by a company that
// calls them all.
const cancellationList = 'https://openrouter.ai/docs/api-reference/streaming#stream-cancellation';

const stops = (...more: string[]): KnownConduct => ({
  stopsOnAbort: true,
  showsReasoning: false,
  sources: [cancellationList, ...more],
});
const writesOn = (...more: string[]): KnownConduct => ({ ...stops(...more), stopsOnAbort: false });
const showing = (conduct: KnownConduct, source: string): KnownConduct => ({
  ...conduct,
  showsReasoning: true,
  sources: [...conduct.sources, source],
});

/**
 * What is known of whom, by the provider's id, with its source. Who is not in it, or is but may pass a call on to anyone
 * (`openrouter`), is read to the end.
 */
const knownConducts: Readonly<Record<string, KnownConduct>> = {
  openai: stops(),
  azure: stops(),
  // Its streams sum the thinking up, or leave it out: https://platform.claude.com/docs/en/build-with-claude/extended-thinking.
  anthropic: stops(),
  gemini: writesOn(),
  deepseek: showing(stops(), 'https://api-docs.deepseek.com/guides/reasoning_model'),
  mistral: writesOn(),
  groq: showing(writesOn(), 'https://console.groq.com/docs/reasoning'),
  xai: stops(),
  together: stops(),
  fireworks: stops(),
  perplexity: writesOn(),
  deepinfra: stops(),
  ollama: {
    stopsOnAbort: true,
    showsReasoning: true,
    sources: ['https://github.com/ollama/ollama/issues/2876', 'https://ollama.com/blog/thinking'],
  },
  vllm: {
    stopsOnAbort: true,
    showsReasoning: true,
    sources: [
      'https://github.com/vllm-project/vllm/pull/32442',
      'https://docs.vllm.ai/en/latest/features/reasoning_outputs.html',
    ],
  },
};

/** What is known of this provider at its own address. */
export function findConduct(providerId: string): StreamConduct {
  const known = Object.hasOwn(knownConducts, providerId) ? knownConducts[providerId] : undefined;
  return known ?? unknownConduct;
}
