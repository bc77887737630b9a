import { buildSchema, getIntrospectionQuery, parse, specifiedRules, validate } from 'graphql';
import { stretched } from '../../test/wait-factor.js';
import { queryLimits } from './query-limits.js';

const schema = buildSchema(`
  type Query { node: Node, a: Int, b: Int }
  type Mutation { a: Int, b: Int }
  type Node { node: Node, id: ID }
`);

const check = (query: string) =>
  validate(schema, parse(query), [...specifiedRules, ...queryLimits]).map(({ message }) => message);
const nest = (depth: number, inner = 'id') => `${'node { '.repeat(depth)}${inner}${' }'.repeat(depth)}`;
const many = (count: number, text: (i: number) => string) => Array.from({ length: count }, (_, i) => text(i)).join(' ');

describe('query limits', () => {
  it('let fields nest 8 deep, in fragments too, and no deeper', () => {
    expect(check(`{ ${nest(7)} }`)).toEqual([]);
    expect(check(`{ ${nest(8)} }`)).toEqual(['Nest fields at most 8 deep.']);
    const fragment = `fragment F on Node { ${nest(3)} } `;
    expect(check(`${fragment} { ${nest(4, '...F')} }`)).toEqual([]);
    expect(check(`${fragment} { ${nest(5, '...F')} }`)).toEqual(['Nest fields at most 8 deep.']);
    expect(check(`{ ${nest(7, '... on Node { node { id } }')} }`)).toEqual(['Nest fields at most 8 deep.']);
  });

  it('let 15 aliases pass, and no more', () => {
    expect(check(`{ node { ${many(15, (i) => `x${i}: id`)} } }`)).toEqual([]);
    expect(check(`{ node { ${many(5_000, (i) => `x${i}: id`)} } }`)).toEqual([
      'Use at most 15 aliases in one request.',
    ]);
  });

  it('let one mutation pass per request, however it is spelled', () => {
    expect(check('mutation { a }')).toEqual([]);
    for (const two of ['a b', 'a x: a', 'a ... on Mutation { b }', '...F']) {
      const fragment = two === '...F' ? 'fragment F on Mutation { a b }' : '';
      expect(check(`mutation { ${two} } ${fragment}`)).toEqual(['Ask for at most 1 root field(s) in one mutation.']);
    }
  });

  it('let ten root fields pass in a query, and no more', () => {
    expect(check(`{ ${many(10, () => 'a')} }`)).toEqual([]);
    expect(check(`{ ${many(11, () => 'a')} }`)).toEqual(['Ask for at most 10 root field(s) in one query.']);
  });

  it('let the standard introspection query pass', () => {
    expect(check(getIntrospectionQuery())).toEqual([]);
  });

  it('end on fragments that spread each other, and on a bomb of fragments, at once', () => {
    expect(
      check('{ node { ...A } } fragment A on Node { node { ...B } } fragment B on Node { node { ...A } }'),
    ).toEqual([expect.stringContaining('Cannot spread fragment "A" within itself')]);
    const bomb = many(
      30,
      (i) => `fragment F${i} on Query { ${i < 29 ? `...F${i + 1} ... on Query { ...F${i + 1} }` : 'a'} }`,
    );
    const startMs = performance.now();
    validate(schema, parse(`{ ...F0 } ${bomb}`), [...queryLimits]);
    // Each fragment once takes a millisecond; each as often as it is spread, a billion times, takes minutes.
    expect(performance.now() - startMs).toBeLessThan(stretched(5_000));
  });
});
