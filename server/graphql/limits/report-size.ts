import {
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import { isLeftOut, valuesMax } from './answer-size.js';
import type { CostQuestion } from './query-cost.js';

/** How long the lists of a report are, as far as its arguments say so. */
interface ReportLengths {
  readonly buckets: number;
  /** 1: not known before the report is read; `boundLists` counts them then. */
  readonly groups: number;
}

/**
 * Works out how many values the reports of a request would answer, before any of them is read: buckets and groups by the arguments,
 * each alias for itself. A cell counts even when nothing is asked of it, since it is worked out all the same.
 * @returns a number that stops growing soon after `valuesMax`.
 */
export function measureReports({ operation, fragments, variables: given }: CostQuestion): number {
  const variables = { ...readDefaults(operation), ...given };
  const atMost = (values: number) => Math.min(values, 2 * valuesMax);
  const sum = (selections: SelectionSetNode | undefined, measure: (field: FieldNode) => number): number =>
    (selections?.selections ?? []).reduce((total, selection) => {
      if (isLeftOut(selection, variables)) return total;
      if (selection.kind === Kind.FIELD) return atMost(total + measure(selection));
      const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
      return atMost(total + sum(inner?.selectionSet, measure));
    }, 0);
  const measureIn = (lengths: ReportLengths, field: FieldNode): number => {
    const length = lengthIn(lengths, field.name.value);
    if (!field.selectionSet) return length;
    return atMost(length * (1 + sum(field.selectionSet, (inner) => measureIn(lengths, inner))));
  };
  return sum(operation.selectionSet, (field) => {
    const lengths = readLengths(field, variables);
    if (lengths === null) return 0;
    const cells = lengths.buckets * (1 + lengths.groups);
    return atMost(cells + sum(field.selectionSet, (inner) => measureIn(lengths, inner)));
  });
}

function lengthIn({ buckets, groups }: ReportLengths, name: string): number {
  if (name === 'buckets' || name === 'series' || name === 'starts') return buckets;
  return name === 'groups' ? groups : 1;
}

/** null: the field is no report. What does not fit is refused where arguments are checked. */
function readLengths(field: FieldNode, variables: CostQuestion['variables']): ReportLengths | null {
  const name = field.name.value;
  if (name !== 'explore' && name !== 'usage') return null;
  const value = field.arguments?.find((argument) => argument.name.value === 'input')?.value;
  const input = (value && valueFromASTUntyped(value, variables)) as Readonly<Record<string, unknown>> | undefined;
  const { from, to, bucket, groupBy, groups = 10 } = input ?? {};
  const isDivided = Array.isArray(groupBy) ? groupBy.length > 0 : groupBy !== undefined;
  const wanted = Number(groups);
  const isKnown = name === 'explore' && isDivided && wanted >= 1 && wanted <= 50;
  // The groups that do not stand by themselves are one more.
  return { buckets: countBuckets(from, to, bucket), groups: isKnown ? wanted + 1 : 1 };
}

const dayMs = 86_400_000;
const bucketMs: Readonly<Record<string, number>> = { HOUR: 3_600_000, DAY: dayMs, MONTH: 28 * dayMs };
/** A report of more is refused before it is read. */
const bucketsMax = 1_000;

// Rounded up at both ends.
function countBuckets(from: unknown, to: unknown, bucket: unknown): number {
  const lengthMs = toMs(to) - toMs(from);
  const oneMs = bucketMs[String(bucket)];
  if (oneMs === undefined || !(lengthMs > 0)) return 1;
  return Math.min(bucketsMax, Math.floor(lengthMs / oneMs) + 2);
}

function toMs(instant: unknown): number {
  return typeof instant === 'string' ? Date.parse(instant.toUpperCase()) : Number.NaN;
}

function readDefaults({ variableDefinitions = [] }: OperationDefinitionNode): Record<string, unknown> {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    ),
  );
}
