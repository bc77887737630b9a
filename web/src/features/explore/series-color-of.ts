import type { ExploreSeries } from '../../lib/reports/explore-view';
import { type SeriesDimension, seriesColor } from '../../lib/reports/series-colors';
import type { ExploreChoices } from './use-explore-choices';

/** The colour of a series, the same as everywhere; what is not divided is drawn like the first one. */
export function colorOf({ key }: ExploreSeries, { dimensions }: Pick<ExploreChoices, 'dimensions'>): string {
  if (dimensions.length === 0) return 'var(--series-1)';
  const [first = 'model'] = dimensions;
  const dimension: SeriesDimension = dimensions.length > 1 ? 'pair' : first;
  return seriesColor(dimension, key);
}
