import { orderModels } from './model-order';

const model = (id: string, creditsPerThousandTokens: number, contextTokens: number, p50Ms: number | null) => ({
  ...{ id, creditsPerThousandTokens, contextTokens, p50Ms },
});
const models = [
  model('a', 2, 8_000, null),
  model('b', 1, 128_000, 900),
  model('c', 2, 128_000, 300),
  model('d', 1, 1_000_000, null),
];
const idsIn = (order: Parameters<typeof orderModels>[1]) =>
  orderModels(models, order, ({ p50Ms }) => p50Ms).map(({ id }) => id);

describe('orderModels', () => {
  it('has the cheapest, the longest context or the fastest first, and what was not measured last', () => {
    expect(idsIn('price')).toEqual(['b', 'd', 'a', 'c']);
    expect(idsIn('context')).toEqual(['d', 'b', 'c', 'a']);
    expect(idsIn('fastest')).toEqual(['c', 'b', 'a', 'd']);
  });

  it('leaves the usual order, and of others those that are alike in it, as they stood', () => {
    expect(idsIn('usual')).toEqual(['a', 'b', 'c', 'd']);
    expect(models.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
  });
});
