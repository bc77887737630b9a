import { useSearchParams } from 'react-router';
import type { ExploreInput } from '../../gql/graphql';
import { type ExploreMetric, exploreMetrics, type MoneyUnit } from '../../lib/reports/explore-metrics';
import { type DimensionId, exploreDimensions } from '../../lib/reports/explore-view';
import {
  type Bucket,
  begunOf,
  possibleBuckets,
  readRange,
  spanOf,
  toReportTime,
  usualBucket,
} from '../../lib/reports/time-range';
import { readNarrowing, readUsageFilter } from '../../lib/requests/request-filter';
import { usePresentHour } from '../../lib/use-now';

export type ExploreShape = 'bars' | 'line' | 'table';

const shapes: readonly ExploreShape[] = ['bars', 'line', 'table'];
const groupsShown = 8;
/** More buckets than this have no times; see `ExploreInput.bucket`. */
const timedBucketsMax = 200;
const bucketMs: Record<Bucket, number> = { HOUR: 3_600_000, DAY: 86_400_000, MONTH: 28 * 86_400_000 };

/** What the address says about what is explored; what is missing or unknown there is what one begins with. */
export function useExploreChoices() {
  const [search] = useSearchParams();
  const metric: ExploreMetric = exploreMetrics.find(({ id }) => id === search.get('metric')) ?? exploreMetrics[0];
  const dimensions = readDimensions(search);
  const range = readRange(search, '30d');
  const isCompared = search.get('before') === 'yes';
  const hour = usePresentHour();
  const chosen = spanOf(range, hour);
  const span = isCompared ? begunOf(chosen, hour) : chosen;
  const buckets = possibleBuckets(span).filter(
    (name) => metric.asked !== 'TIMES' || (span.toMs - span.fromMs) / bucketMs[name] <= timedBucketsMax,
  );
  const wanted = buckets.find((name) => name.toLowerCase() === search.get('per'));
  const bucket = wanted ?? buckets.find((name) => name === usualBucket(span)) ?? buckets[0] ?? 'DAY';
  const chosenShape = shapes.find((name) => name === search.get('as'));
  // Parts that do not add up do not stand on top of each other.
  const shape = chosenShape === 'table' ? 'table' : metric.isSum ? (chosenShape ?? 'bars') : 'line';
  const unit: MoneyUnit = search.get('in') === 'dollars' ? 'dollars' : 'credits';
  const filter = readUsageFilter(search);
  const input: ExploreInput = {
    ...toReportTime(span),
    bucket,
    metric: metric.asked,
    groupBy: dimensions.map((id) => exploreDimensions.find((one) => one.id === id)?.asked ?? 'MODEL'),
    groups: groupsShown,
    previous: isCompared,
    partial: true,
    ...(filter && { filter }),
  };
  return {
    metric,
    dimensions,
    range,
    span,
    buckets,
    bucket,
    shape,
    unit,
    isCompared,
    input,
    narrowing: readNarrowing(search),
  };
}

export type ExploreChoices = ReturnType<typeof useExploreChoices>;

function readDimensions(search: URLSearchParams): readonly DimensionId[] {
  const known = (name: string | null) => exploreDimensions.find(({ id }) => id === name)?.id;
  const first = search.get('by') === 'nothing' ? undefined : (known(search.get('by')) ?? 'model');
  const second = known(search.get('also'));
  if (first === undefined) return [];
  return second === undefined || second === first ? [first] : [first, second];
}
