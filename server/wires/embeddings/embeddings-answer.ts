import type { CompletionUsage } from '../../providers/chat-types.js';
import type { Vector, VectorEncoding } from '../../providers/embeddings/embedding-types.js';

const bytesPerNumber = 4;

interface EmbeddingsTold {
  readonly callId: string;
  /** In the caller's words. */
  readonly model: string;
  readonly encoding: VectorEncoding;
  readonly vectors: readonly Vector[];
  /** The numbers of some of them as their provider wrote them, without the brackets. */
  readonly texts: ReadonlyMap<Vector, string>;
  readonly usage: CompletionUsage;
}

/** OpenAI's answer of embeddings as JSON, in pieces of one vector each: writing one takes a millisecond at most. */
export function* writeEmbeddings({
  callId,
  model,
  encoding,
  vectors,
  texts,
  usage,
}: EmbeddingsTold): Generator<string, void, undefined> {
  const { prompt_tokens, credits } = usage;
  // OpenAI's has no id; Mistral's client insists on one.
  yield `{"id":"${callId}","object":"list","model":${JSON.stringify(model)},"data":[`;
  for (const [index, vector] of vectors.entries()) {
    const written = encoding === 'base64' ? `"${vector.toString('base64')}"` : writeNumbers(vector, texts);
    yield `${index === 0 ? '' : ','}{"object":"embedding","index":${index},"embedding":${written}}`;
  }
  yield `],"usage":${JSON.stringify({ prompt_tokens, total_tokens: prompt_tokens, credits })}}`;
}

/** About how many bytes the whole is. */
export function estimateEmbeddingsBytes({ encoding, vectors }: Pick<EmbeddingsTold, 'encoding' | 'vectors'>): number {
  const [first] = vectors;
  const numbers = ((first?.length ?? 0) / bytesPerNumber) * vectors.length;
  return numbers * (encoding === 'base64' ? 5.4 : 21) + vectors.length * 64;
}

function writeNumbers(vector: Vector, texts: EmbeddingsTold['texts']): string {
  const text = texts.get(vector);
  if (text !== undefined) return `[${text}]`;
  const numbers = Array.from({ length: vector.length / bytesPerNumber }, (_, index) =>
    vector.readFloatLE(index * bytesPerNumber),
  );
  return JSON.stringify(numbers);
}
