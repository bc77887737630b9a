import { AppError } from '../kernel/app-error.js';
import type { ChatRequest } from '../providers/chat-types.js';
import type { FoundModel, ModelCatalogue } from '../providers/model-catalogue.js';

/**
 * Finds a model that can be called now, for what is asked of it.
 * @throws AppError `model_not_found`, saying where the names are; `unsupported_value` for a model that serves another endpoint,
 *   saying which; `invalid_value` for more dimensions than it has.
 */
export function getModel(
  catalogue: ModelCatalogue,
  { model: name, embedding: order }: Pick<ChatRequest, 'model' | 'embedding'>,
): FoundModel {
  const model = catalogue.findModel(name);
  if (model) {
    requireEndpoint(model, order !== undefined);
    const { dimensionsMax = 0 } = model.embedding ?? {};
    if (order && (order.dimensions ?? 0) > dimensionsMax) throw tooManyDimensions(model.id, dimensionsMax);
    return model;
  }
  const nearest = findNearest(catalogue, name);
  const hint = nearest.length > 0 ? ` Did you mean ${nearest.map((id) => `\`${id}\``).join(' or ')}?` : '';
  throw new AppError(
    'model_not_found',
    `The model \`${name.slice(0, 100)}\` does not exist or you do not have access to it.${hint} GET …/models lists the ones you can call.`,
    { param: 'model' },
  );
}

function requireEndpoint(model: FoundModel, isForVectors: boolean): void {
  if ((model.embedding !== undefined) === isForVectors) return;
  const words = isForVectors
    ? `The model \`${model.id}\` writes answers and makes no embeddings. Call POST …/chat/completions with it, or choose a model of GET …/models that makes embeddings.`
    : `The model \`${model.id}\` makes embeddings and writes no answers. Call POST …/embeddings with it, or choose another model.`;
  throw new AppError('unsupported_value', words, { param: 'model' });
}

function tooManyDimensions(id: string, dimensionsMax: number): AppError {
  const words = `Invalid 'dimensions': vectors of the model \`${id}\` have at most ${dimensionsMax}.`;
  return new AppError('invalid_value', words, { param: 'dimensions' });
}

const suggestionsMax = 3;
const comparedCharactersMax = 64;

// By the pairs of letters that two names share (Dice's coefficient): a missing date or a turned word changes few of them.
function findNearest({ models }: ModelCatalogue, name: string): string[] {
  const wanted = listPairs(name.slice(0, comparedCharactersMax));
  const rated = models.map(({ id }) => ({ id, likeness: compare(wanted, listPairs(id)) }));
  const near = rated.filter(({ likeness }) => likeness >= 0.5);
  return near.sort((a, b) => b.likeness - a.likeness).flatMap(({ id }, place) => (place < suggestionsMax ? [id] : []));
}

function listPairs(name: string): ReadonlySet<string> {
  const text = name.toLowerCase();
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => text.slice(index, index + 2)));
}

function compare(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size + other.size === 0) return 0;
  let shared = 0;
  for (const pair of one) if (other.has(pair)) shared += 1;
  return (2 * shared) / (one.size + other.size);
}
