import { IsOptional, Max, MaxLength, Min } from 'class-validator';
import { ArgsType, type ClassType, Field, Int, ObjectType } from 'type-graphql';
import { InvalidInputError } from '../kernel/app-error.js';

/** Of a page whose length nobody has said. */
const pageLength = 25;

/** The arguments of every list. */
@ArgsType()
export class PageArgs {
  @Min(1, { message: 'Ask for at least 1.' })
  @Max(100, { message: 'Ask for at most 100 at a time.' })
  @IsOptional()
  @Field(() => Int, {
    nullable: true,
    defaultValue: pageLength,
    description: 'How many to answer at most: 1 to 100; null: 25.',
  })
  first!: number | null;

  @IsOptional()
  @MaxLength(200, { message: 'This is no cursor of ours.' })
  @Field(() => String, { nullable: true, description: 'The `endCursor` of the page before; left out: the newest.' })
  after?: string | null;
}

@ObjectType('PageInfo', { description: 'Where a page of a list stands.' })
class PageInfoType {
  @Field(() => Boolean, { description: 'Whether older ones follow.' })
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: 'Whether the page begins behind a cursor, so that newer ones are before it.' })
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true, description: 'The place of the first on the page. Null on an empty page.' })
  startCursor!: string | null;

  @Field(() => String, { nullable: true, description: 'Pass it as `after` for the next page. Null on an empty page.' })
  endCursor!: string | null;
}

/** Makes the pair of types `<name>Connection` and `<name>Edge` around a type. */
export function createConnectionType<Node extends object>(nodeType: ClassType<Node>, name: string) {
  @ObjectType(`${name}Edge`, { description: `A ${name} in a list.` })
  class EdgeType {
    @Field(() => nodeType, { description: `The ${name} itself.` })
    node!: Node;

    @Field(() => String, { description: 'Its place in the list.' })
    cursor!: string;
  }

  @ObjectType(`${name}Connection`, { description: `A page of a list of ${name}, newest first.` })
  class ConnectionType {
    @Field(() => [EdgeType], { description: 'What is on this page.' })
    edges!: EdgeType[];

    @Field(() => PageInfoType, { description: 'Whether and how the list goes on.' })
    pageInfo!: PageInfoType;
  }
  return ConnectionType;
}

/** What a service answers when asked for a page. */
interface Page<Item> {
  readonly items: readonly Item[];
  readonly hasNextPage: boolean;
  /** Where the next page starts, when that is not the last item: the search went on from there and found nothing. */
  readonly endKey?: string | null;
}

/** Which page was asked for. */
export interface AskedPage {
  readonly first: number;
  /** The page is of what comes behind this one; null: it is the first. */
  readonly afterKey: string | null;
}

/** Turns a page into a connection. @param keyOf What the next page starts after; it is wrapped up as the cursor. */
export function toConnection<Item, Node>(
  page: Page<Item>,
  { afterKey }: AskedPage,
  { toNode, keyOf }: { readonly toNode: (item: Item) => Node; readonly keyOf: (item: Item) => string | number },
) {
  const edges = page.items.map((item) => ({ node: toNode(item), cursor: toCursor(keyOf(item)) }));
  const startCursor = edges.at(0)?.cursor ?? null;
  const endCursor = page.endKey ? toCursor(page.endKey) : (edges.at(-1)?.cursor ?? null);
  return {
    edges,
    pageInfo: { hasNextPage: page.hasNextPage, hasPreviousPage: afterKey !== null, startCursor, endCursor },
  };
}

/**
 * Which page the arguments ask for.
 * @param isKey Whether a text has the shape of this list's keys, so that nothing else meets the database.
 * @throws InvalidInputError for a text that is no cursor of this list.
 */
export function readPage({ first, after }: PageArgs, isKey: (text: string) => boolean): AskedPage {
  return { first: first ?? pageLength, afterKey: after == null ? null : readCursor(after, isKey) };
}

function readCursor(after: string, isKey: (text: string) => boolean): string {
  const key = Buffer.from(after, 'base64url').toString();
  if (toCursor(key) === after && isKey(key)) return key;
  throw new InvalidInputError('after', 'This is no cursor of this list. Take the `endCursor` of the page before.');
}

function toCursor(key: string | number): string {
  return Buffer.from(String(key)).toString('base64url');
}
