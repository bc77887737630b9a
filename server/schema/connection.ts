import { IsOptional, Max, MaxLength, Min } from 'class-validator';
import { ArgsType, type ClassType, Field, Int, ObjectType } from 'type-graphql';
import { InvalidInputError } from '../kernel/app-error.js';

/** The arguments of every list. */
@ArgsType()
export class PageArgs {
  @Min(1, { message: 'Ask for at least 1.' })
  @Max(100, { message: 'Ask for at most 100 at a time.' })
  @Field(() => Int, { defaultValue: 25, description: 'How many to answer at most: 1 to 100.' })
  first!: number;

  @IsOptional()
  @MaxLength(200, { message: 'This is no cursor of ours.' })
  @Field(() => String, { nullable: true, description: 'The `endCursor` of the page before; left out: the newest.' })
  after?: string | null;
}

@ObjectType('PageInfo', { description: 'Where a page of a list stands.' })
class PageInfoType {
  @Field(() => Boolean, { description: 'Whether older ones follow.' })
  hasNextPage!: boolean;

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

/** Turns a page into a connection. @param keyOf What the next page starts after; it is wrapped up as the cursor. */
export function toConnection<Item, Node>(
  page: Page<Item>,
  toNode: (item: Item) => Node,
  keyOf: (item: Item) => string | number,
) {
  const edges = page.items.map((item) => ({ node: toNode(item), cursor: toCursor(keyOf(item)) }));
  const endCursor = page.endKey ? toCursor(page.endKey) : (edges.at(-1)?.cursor ?? null);
  return { edges, pageInfo: { hasNextPage: page.hasNextPage, endCursor } };
}

/**
 * Unwraps a cursor.
 * @param isKey Whether a text has the shape of this list's keys, so that nothing else meets the database.
 * @returns null when there is none.
 * @throws InvalidInputError for a text that is no cursor of this list.
 */
export function readCursor({ after }: PageArgs, isKey: (text: string) => boolean): string | null {
  if (after === undefined || after === null) return null;
  const key = Buffer.from(after, 'base64url').toString();
  if (toCursor(key) === after && isKey(key)) return key;
  throw new InvalidInputError('after', 'This is no cursor of this list. Take the `endCursor` of the page before.');
}

function toCursor(key: string | number): string {
  return Buffer.from(String(key)).toString('base64url');
}
