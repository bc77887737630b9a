import {
  GraphQLError,
  GraphQLID,
  type GraphQLSchema,
  isScalarType,
  type Token,
  TokenKind,
  type ValueNode,
} from 'graphql';
import { isPlainWord } from '../kernel/ids.js';

const parsed = { value: GraphQLID.parseValue, literal: GraphQLID.parseLiteral };
const words = 'An id has printable ASCII characters alone, without blanks. Send it as you were given it.';

/**
 * Refuses, before any resolver, each id of an argument, list or input that no row of ours can have. MySQL and MariaDB compare texts without
 * the blanks at their ends, so that `acct_1 ` would find the row of `acct_1` and be another account to everything else.
 */
export function guardIds(schema: GraphQLSchema): GraphQLSchema {
  const type = schema.getType(GraphQLID.name);
  if (!isScalarType(type)) return schema;
  type.parseValue = (value) => requirePlain(parsed.value(value), () => new TypeError(words));
  type.parseLiteral = (node, variables) =>
    requirePlain(
      parsed.literal(node, variables),
      () => new GraphQLError(`${nameOf(node)} has an invalid value. ${words}`, { nodes: [node] }),
    );
  return schema;
}

function requirePlain(id: string, fault: () => Error): string {
  if (isPlainWord(id)) return id;
  throw fault();
}

// A literal is not told which argument it is for: the name before the colon before it, with values of a list in between at most.
function nameOf({ loc }: ValueNode): string {
  let token: Token | null | undefined = loc?.startToken;
  while (token && token.kind !== TokenKind.COLON) token = token.prev;
  return `"${token?.prev?.value ?? 'id'}"`;
}
