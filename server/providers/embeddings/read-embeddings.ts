import { readPieces } from '../answers/read-pieces.js';
import type { HttpExchange } from '../http-exchange.js';
import type { AnswerContext, UpstreamEvent } from '../provider-adapter.js';
import { createUnreadableError } from '../upstream-error.js';
import { countInputs, type EmbeddingAdapter, type EmbeddingRequest } from './embedding-types.js';
import { VectorJson } from './vector-json.js';

/** As text the largest vectors that any model makes of a full batch come to about 140 MB; only a part of it is held. */
const bytesMax = 256 * 1024 * 1024;
/** Of one vector; more than any model makes. */
const dimensionsMax = 8_192;

interface Reading {
  readonly request: EmbeddingRequest;
  readonly adapter: EmbeddingAdapter;
  readonly context: AnswerContext;
  /** The caller's wish to stop; null: nobody can. */
  readonly signal: AbortSignal | null;
}

/**
 * Reads the vectors of a whole answer as its bytes come.
 * @param first What has come of it; null: it has ended already.
 * @throws AppError when it cannot be read, is too large, or has other vectors in it than were asked for; what `readPieces` throws.
 */
export async function readEmbeddings(
  exchange: Pick<HttpExchange, 'read'>,
  first: Buffer | null,
  { request, adapter, context, signal }: Reading,
): Promise<readonly UpstreamEvent[]> {
  const { dimensions } = request.embedding;
  const inputs = countInputs(request.embedding);
  const json = new VectorJson({ numbersMax: inputs * (dimensions ?? dimensionsMax) });
  let bytes = 0;
  await readPieces(exchange, { first, isWhole: () => json.isWhole, signal }, (piece) => {
    bytes += piece.length;
    if (bytes > bytesMax) throw createUnreadableError(context.providerId, 'a body larger than allowed');
    push(json, piece, context);
  });
  const { answer, takeVector, texts } = json.end();
  const { vectors, usage } = adapter.readAnswer(answer, takeVector, context);
  const length = (dimensions ?? 0) * 4 || vectors[0]?.length;
  const areAsAsked = vectors.length === inputs && vectors.every((vector) => vector.length === length);
  if (!areAsAsked)
    throw createUnreadableError(context.providerId, 'not as many vectors as inputs, or not as long as asked');
  const event = { type: 'embeddings', vectors, texts } as const;
  return usage === null ? [event] : [{ type: 'usage', usage }, event];
}

function push(json: VectorJson, piece: Buffer, { providerId }: AnswerContext): void {
  try {
    json.push(piece);
  } catch {
    // Its message may quote what it could not read.
    throw createUnreadableError(providerId, 'not the JSON of embeddings, or more numbers than asked for');
  }
}
