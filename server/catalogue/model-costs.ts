import { type CostPeriod, costKey, type ProviderCost } from '../pricing/provider-cost.js';
import { demoProviderId } from '../providers/demo/demo-provider.js';
import { listPricedModels } from '../providers/model-catalogue.js';
import type { TollgateFile } from '../providers/settings/tollgate-file.js';

const nothing: ProviderCost = { input: 0, output: 0 };

/**
 * What each model costs at each of its providers, by `costKey`, as far as it is set. A receipt names the model and the provider and not
 * the route: where a provider answers a model under several names, the dearest stands for all. The embedded provider costs nothing.
 */
export function findModelCosts(file: TollgateFile | null): ReadonlyMap<string, ProviderCost> {
  const costs = new Map<string, ProviderCost>();
  for (const { id, routes } of listPricedModels(file === null ? {} : { tollgateFile: file })) {
    for (const route of routes) {
      const provider = route.slice(0, route.indexOf('/'));
      const cost = file?.costs?.[route] ?? (provider === demoProviderId ? nothing : undefined);
      if (cost === undefined) continue;
      const key = costKey(id, provider);
      const known = costs.get(key) ?? nothing;
      costs.set(key, { input: Math.max(known.input, cost.input), output: Math.max(known.output, cost.output) });
    }
  }
  return costs;
}

/** A cost that is set for the first time holds for the time before, too: who sets one now wants to see last month. */
export function fillBackwards(periods: readonly CostPeriod[]): readonly CostPeriod[] {
  let later: CostPeriod['costs'] = new Map();
  const filled = periods.toReversed().map((period) => {
    later = new Map([...later, ...period.costs]);
    return { ...period, costs: later };
  });
  return filled.reverse();
}
