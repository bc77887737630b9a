import type { GraphQLScalarType } from 'graphql';
import { Field, Float, Int, ObjectType } from 'type-graphql';
import { CountScalar, CreditsScalar } from '../../schema/scalars.js';
import type { AnswerTimesType } from './answer-times-type.js';
import type { UsageSumsType } from './usage-report.graphql.js';

/** What one bucket had, by the names of the schema. */
interface Cell {
  readonly sums: UsageSumsType;
  readonly times: AnswerTimesType | null;
}

@ObjectType('ExploreSeries', {
  description:
    'What each bucket had: the figures of `ExploreCell`, each as one list in the order of the buckets. About a quarter of the size of as many cells.',
})
export class ExploreSeriesType {
  constructor(readonly cells: readonly Cell[]) {}
}

const sums = {
  calls: CountScalar,
  failedCalls: CountScalar,
  promptTokens: CountScalar,
  completionTokens: CountScalar,
  cachedTokens: CountScalar,
  reasoningTokens: CountScalar,
  charged: CreditsScalar,
} satisfies Record<keyof UsageSumsType, GraphQLScalarType>;

const times = {
  sampledCalls: Int,
  p50Ms: Int,
  p95Ms: Int,
  p99Ms: Int,
  firstByteP50Ms: Int,
  firstByteP95Ms: Int,
  tokensPerSecond: Float,
  cachedPercent: Float,
  cacheHitPercent: Float,
  reasoningPercent: Float,
} satisfies Record<keyof AnswerTimesType, GraphQLScalarType>;

for (const [figure, type] of Object.entries(sums)) {
  const isKnown = figure !== 'cachedTokens' && figure !== 'reasoningTokens';
  const description = `\`${figure}\` of the sums of each bucket.`;
  addList(figure, type, { description, nullable: isKnown ? false : 'items' }, (cells) =>
    cells.map((cell) => cell.sums[figure as keyof UsageSumsType]),
  );
}

for (const [figure, type] of Object.entries(times)) {
  const description = `\`${figure}\` of the times of each bucket; null unless \`TIMES\` were asked for.`;
  addList(figure, type, { description, nullable: 'itemsAndList' }, (cells) =>
    cells.some((cell) => cell.times === null)
      ? null
      : cells.map((cell) => cell.times?.[figure as keyof AnswerTimesType]),
  );
}

/** Adds a field that is worked out only where it is asked for. */
function addList(
  figure: string,
  type: GraphQLScalarType,
  options: { readonly description: string; readonly nullable: false | 'items' | 'itemsAndList' },
  read: (cells: readonly Cell[]) => readonly unknown[] | null,
): void {
  Object.defineProperty(ExploreSeriesType.prototype, figure, {
    get(this: ExploreSeriesType) {
      return read(this.cells);
    },
  });
  Field(() => [type], options)(ExploreSeriesType.prototype, figure);
}
