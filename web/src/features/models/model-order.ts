import type { Model } from './models-document';

/** Which models stand first; the usual order is the catalogue's own. */
export const modelOrders = ['usual', 'price', 'context', 'fastest'] as const;
export type ModelOrder = (typeof modelOrders)[number];

export const orderWords: Readonly<Record<ModelOrder, string>> = {
  usual: 'Usual order',
  price: 'Cheapest first',
  context: 'Longest context first',
  fastest: 'Fastest first',
};

/**
 * The same models in this order; those that are alike in it stay as they stood.
 * @param findP50Ms how long a model's answers take, at the provider that is quickest with it; null, not measured, comes last.
 */
export function orderModels<Ordered extends Pick<Model, 'creditsPerThousandTokens' | 'contextTokens'>>(
  models: readonly Ordered[],
  order: ModelOrder,
  findP50Ms: (model: Ordered) => number | null,
): readonly Ordered[] {
  if (order === 'usual') return models;
  const rank: Readonly<Record<Exclude<ModelOrder, 'usual'>, (model: Ordered) => number>> = {
    price: ({ creditsPerThousandTokens }) => creditsPerThousandTokens,
    context: ({ contextTokens }) => -contextTokens,
    fastest: (model) => findP50Ms(model) ?? Number.MAX_VALUE,
  };
  return [...models].sort((one, other) => rank[order](one) - rank[order](other));
}
