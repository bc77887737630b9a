import { AppError } from '../../kernel/app-error.js';
import type { HttpTarget } from '../provider-adapter.js';
import { countInputs, type EmbeddingRequest } from './embedding-types.js';

/** @throws AppError when one call has more inputs than its provider takes. */
export function refuseTooMany({ embedding }: EmbeddingRequest, inputsMax: number, { providerId }: HttpTarget): void {
  const inputs = countInputs(embedding);
  if (inputs <= inputsMax) return;
  const words = `Invalid 'input': provider ${providerId} takes at most ${inputsMax} inputs in one call, and these are ${inputs}. Send them in several calls.`;
  throw new AppError('invalid_value', words, { param: 'input', metadata: { provider: providerId } });
}

/** The refusal of ids of tokens by a provider that cannot read them. */
export function createTextsOnlyError({ providerId }: HttpTarget): AppError {
  const words = `Invalid 'input': provider ${providerId} takes texts, and no ids of tokens. Send texts (LangChain for Python: check_embedding_ctx_length=False).`;
  return new AppError('invalid_type', words, { param: 'input', metadata: { provider: providerId } });
}
