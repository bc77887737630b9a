import type { ChatRequest } from '../../providers/chat-types.js';
import type { ModelCatalogue } from '../../providers/model-catalogue.js';
import type { RequestParser } from './request-parser.js';

interface Services {
  readonly catalogue: Pick<ModelCatalogue, 'findModel'>;
  readonly requestParser: Pick<RequestParser, 'decode'>;
}

/**
 * The request with texts in place of ids of tokens, where one of those who may answer cannot read these. Any other as it is.
 * @throws AppError naming the `input` that stands for no text.
 */
export function decodeInputs(
  request: ChatRequest,
  { catalogue, requestParser }: Services,
): ChatRequest | Promise<ChatRequest> {
  const { embedding } = request;
  if (embedding?.inputs.kind !== 'tokens') return request;
  const model = catalogue.findModel(request.model);
  const isReadByAll = model?.targets.every(
    (target) => target.kind === 'http' && target.adapter.embeddings?.takesTokens === true,
  );
  if (model?.embedding === undefined || isReadByAll) return request;
  return requestParser
    .decode(embedding.inputs.tokens)
    .then((texts) => ({ ...request, embedding: { ...embedding, inputs: { kind: 'texts', texts } } }));
}
