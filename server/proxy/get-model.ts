import { AppError } from '../kernel/app-error.js';
import type { FoundModel, ModelCatalogue } from '../providers/model-catalogue.js';

/** Finds a model that can be called now. @throws AppError `model_not_found`, saying where the names are. */
export function getModel(catalogue: ModelCatalogue, name: string): FoundModel {
  const model = catalogue.findModel(name);
  if (model) return model;
  const nearest = findNearest(catalogue, name);
  const hint = nearest.length > 0 ? ` Did you mean ${nearest.map((id) => `\`${id}\``).join(' or ')}?` : '';
  throw new AppError(
    'model_not_found',
    `The model \`${name.slice(0, 100)}\` does not exist or you do not have access to it.${hint} GET …/models lists the ones you can call.`,
    { param: 'model' },
  );
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
