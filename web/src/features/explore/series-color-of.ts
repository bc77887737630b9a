import type { ExploreView } from '../../lib/reports/explore-view';
import { chartColors, type SeriesDimension } from '../../lib/reports/series-colors';
import type { ExploreChoices } from './use-explore-choices';

/** The colour of each series, the same as everywhere where it can be; what is not divided is drawn like the first one. */
export function colorsOf(
  { series }: ExploreView,
  { dimensions }: Pick<ExploreChoices, 'dimensions'>,
): readonly string[] {
  if (dimensions.length === 0) return series.map(() => 'var(--series-1)');
  const [first = 'model'] = dimensions;
  const dimension: SeriesDimension = dimensions.length > 1 ? 'pair' : first;
  return chartColors(
    dimension,
    series.map(({ key }) => key),
  );
}
