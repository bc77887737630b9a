import type { FoundModel, ModelCatalogue } from '../../providers/model-catalogue.js';
import { decodeModel } from '../callers/model.route.js';
import { descriptionLengthMax, type PublicPage, titleLengthMax } from './public-pages.js';

/** The models that have a page each: those of the catalogue by their own names, and by no alias, so that no page is there twice. */
type ListedModels = Pick<ModelCatalogue, 'models'>;

const modelPath = /^\/models\/([^/]+)\/?$/;

/** The addresses of all models' pages. */
export function listModelPaths({ models }: ListedModels): string[] {
  return models.map(({ id }) => pathOf(id));
}

/** Whether an address is that of a model's page, whether there is such a model or not. */
export function isModelPath(path: string): boolean {
  return modelPath.test(path);
}

/** What search engines and shared links are told of a model; null: there is none at this address. */
export function findModelPage(path: string, { models }: ListedModels): PublicPage | null {
  const [, encodedId = ''] = modelPath.exec(path) ?? [];
  const id = decodeModel(encodedId);
  const model = models.find((one) => one.id === id);
  return model === undefined ? null : describeModel(model);
}

function describeModel({ id, millicreditsPerToken, contextTokens, targets }: FoundModel): PublicPage {
  const title = `${id}: price and answer times · Tollgate`;
  const providers = [...new Set(targets.map(({ providerId }) => providerId))].join(', ');
  // A millicredit for a token is a dollar for a million of them.
  const price = `$${millicreditsPerToken.toFixed(2)} per million tokens`;
  const context = `${contextTokens.toLocaleString('en-US')} tokens of context`;
  const description = `${id}: ${price}, ${context}, by ${providers}. Measured p50, p95 and uptime, and the code that calls it.`;
  return {
    path: pathOf(id),
    title: cutTo(titleLengthMax, title.length <= titleLengthMax ? title : `${id} · Tollgate`),
    description: cutTo(descriptionLengthMax, description),
  };
}

function pathOf(id: string): string {
  return `/models/${encodeURIComponent(id)}`;
}

function cutTo(lengthMax: number, text: string): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1)}…`;
}
