import {
  GraphQLInt,
  GraphQLList,
  GraphQLObjectType,
  GraphQLSchema,
  graphqlSync,
  isIntrospectionType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { buildGraphqlSchema } from '../graphql-schema.js';
import { resolverClasses } from '../resolvers.js';
import { boundLists, hasList, isBounded, valuesMax } from './answer-size.js';
import { measureReports } from './report-size.js';

// In another order it is a schema of its own: those of one order share their fields, which Apollo Server wraps once more in each server.
const schema = buildGraphqlSchema(resolverClasses.toReversed(), new Map());
const lists = Object.values(schema.getTypeMap())
  .filter((type) => isObjectType(type) && !isIntrospectionType(type))
  .flatMap((type) => (isObjectType(type) ? Object.values(type.getFields()).map((field) => ({ type, field })) : []))
  .filter(({ field }) => hasList(field.type));

describe('Every list of the schema', () => {
  it('is bounded by what its answer holds', () => {
    expect(lists.length).toBeGreaterThan(80);
    const unbounded = lists
      .filter(({ field }) => !isBounded(field))
      .map(({ type, field }) => `${type.name}.${field.name}`);
    expect(unbounded).toEqual([]);
  });
});

describe('A list', () => {
  let written = 0;
  const makeSchema = (length: number) => {
    const item: GraphQLObjectType = new GraphQLObjectType({
      name: 'Item',
      fields: () => ({
        a: { type: GraphQLInt, resolve: () => (written += 1) },
        b: { type: GraphQLInt, resolve: () => (written += 1) },
        items: { type: new GraphQLList(item), resolve: () => Array(length).fill({}) },
      }),
    });
    const query = new GraphQLObjectType({
      name: 'Query',
      fields: { items: { type: new GraphQLList(item), resolve: () => Array(length).fill({}) } },
    });
    return boundLists(new GraphQLSchema({ query }));
  };
  const ask = (length: number, source: string, variableValues = {}) => {
    written = 0;
    return graphqlSync({ schema: makeSchema(length), source, variableValues });
  };

  it('is answered up to the bound, and refused before one of its items is written above it', () => {
    expect(ask(valuesMax / 2, '{ items { a } }').errors).toBeUndefined();
    const { errors } = ask(valuesMax / 2 + 1, '{ items { a } }');
    expect(errors?.[0]?.originalError).toMatchObject({ code: 'invalid_value', param: 'items' });
    expect(errors?.[0]?.message).toContain('fewer fields or aliases');
    expect(written).toBe(0);
  });

  it('counts under each alias, inside others, and by its fragments, without what is left out', () => {
    const third = Math.ceil(valuesMax / 6);
    expect(ask(third, '{ a: items { a } b: items { a } }').errors).toBeUndefined();
    expect(ask(third, '{ a: items { a } b: items { a } c: items { a } }').errors).toHaveLength(1);
    expect(ask(400, '{ items { items { __typename } } }').errors).toHaveLength(400 - 154);
    const fragment = '{ items { ...F } } fragment F on Item { a b }';
    expect(ask(valuesMax / 2, fragment).errors).toHaveLength(1);
    const skipped = 'query ($no: Boolean!) { items { a b @include(if: $no) } }';
    expect(ask(valuesMax / 2, skipped, { no: false }).errors).toBeUndefined();
    expect(ask(valuesMax / 2, skipped, { no: true }).errors).toHaveLength(1);
  });
});

describe('The values of reports', () => {
  const measure = (query: string, variables: Record<string, unknown> = {}) => {
    const { definitions } = parse(query);
    const fragments = new Map(
      definitions.flatMap((part) => (part.kind === Kind.FRAGMENT_DEFINITION ? [[part.name.value, part] as const] : [])),
    );
    return measureReports({ operation: definitions[0] as OperationDefinitionNode, fragments, variables });
  };
  const input = (more = {}) => ({
    ...{ from: '2026-01-01T00:00:00Z', to: '2026-02-11T07:00:00Z', bucket: 'HOUR', metric: 'COST', groupBy: ['TAG'] },
    ...{ groups: 50, ...more },
  });
  const sums = 'sums { calls failedCalls promptTokens completionTokens cachedTokens reasoningTokens charged }';
  const times =
    'times { p50Ms p95Ms p99Ms firstByteP50Ms firstByteP95Ms tokensPerSecond cachedPercent cacheHitPercent }';
  const whole = `starts total { ${sums} } buckets { ${sums} } groups { tag total { ${sums} } buckets { ${sums} } }`;
  const explore = (fields: string) => `query ($input: ExploreInput!) { explore(input: $input) { ${fields} } }`;

  it('are buckets times groups, as the arguments say, before anything is read', () => {
    expect(measure(explore(whole), { input: input() })).toBeGreaterThan(valuesMax);
    expect(measure(explore(whole), { input: input({ bucket: 'DAY' }) })).toBeLessThan(valuesMax / 4);
    expect(measure('{ models { id } }')).toBe(0);
    const literal = `{ explore(input: { from: "2026-01-01T00:00:00Z", to: "2026-02-11T07:00:00Z", bucket: HOUR, metric: COST, groupBy: TAG, groups: 50 }) { ${whole} } }`;
    expect(measure(literal)).toBeGreaterThan(valuesMax);
    expect(measure(`{ ...F } fragment F on Query ${literal}`)).toBeGreaterThan(valuesMax);
  });

  it('count under each alias, of a report and in it, and also where nothing is asked of its cells', () => {
    const undivided = input({ groupBy: [] });
    const buckets = (alias: number) => `b${alias}: buckets { ${sums} }`;
    expect(measure(explore(buckets(0)), { input: undivided })).toBeLessThan(valuesMax / 5);
    const ten = Array.from({ length: 15 }, (_, alias) => buckets(alias)).join(' ');
    expect(measure(explore(ten), { input: undivided })).toBeGreaterThan(valuesMax);
    const lists = Array.from({ length: 15 }, (_, alias) => `s${alias}: series { calls charged p50Ms p95Ms p99Ms }`);
    expect(measure(explore(lists.join(' ')), { input: undivided })).toBeGreaterThan(valuesMax / 2);
    const reports = ['a', 'b', 'c'].map((alias) => `${alias}: explore(input: $input) { areTimesPartial }`);
    expect(measure(`query ($input: ExploreInput!) { ${reports.join(' ')} }`, { input: input() })).toBeGreaterThan(
      valuesMax,
    );
    const usages = Array.from(
      { length: 10 },
      (_, alias) => `a${alias}: usage(input: $input) { buckets { ${sums} } groups { buckets { ${sums} } } }`,
    );
    expect(measure(`query ($input: UsageInput!) { ${usages.join(' ')} }`, { input: input() })).toBeGreaterThan(
      valuesMax,
    );
  });

  it('of the dashboard’s longest chart are within the bound: 400 buckets of 8 groups, 200 with times, beside the time before', () => {
    const cell = (more: string) => `${sums} ${more}`;
    const page = (more: string) =>
      explore(
        `starts total { ${cell(more)} } buckets { ${cell(more)} } groups { isRest model total { ${cell(more)} } buckets { ${cell(more)} } previous { ${cell(more)} } } previous { from total { ${cell(more)} } buckets { ${cell(more)} } } areTimesPartial`,
      );
    const of400 = input({ to: '2026-01-17T16:00:00Z', groups: 8 });
    const of200 = input({ to: '2026-01-09T08:00:00Z', groups: 8 });
    expect(measure(page(''), { input: of400 })).toBeLessThan(valuesMax / 2);
    expect(measure(page(times), { input: of200 })).toBeLessThan(valuesMax / 2);
  });
});
