import {
  type DocumentNode,
  type ExecutionArgs,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  parse,
  specifiedRules,
  subscribe,
  validate,
} from 'graphql';
import type { BalanceWatch, LiveBalances } from '../accounts/live-balances.js';
import type { Logger } from '../kernel/logger.js';
import { balanceAccess } from '../schema/access.js';
import { type Caller, createLoadOnce, type GraphqlContext } from '../schema/graphql-context.js';
import type { AskingRequest } from './cookies/guarded-cookie.js';
import type { OperationGate } from './limits/operation-gate.js';
import { queryLimits, refuseConditionsAtRoot, tokensMax } from './limits/query-limits.js';
import type { RequestViewer } from './request-viewer.js';

/** What serves subscriptions, by whatever connection. */
export interface SubscriptionParts {
  readonly schema: GraphQLSchema;
  readonly viewers: RequestViewer;
  readonly liveBalances: LiveBalances;
  /** Counts each subscription of who asks. */
  readonly gate: Pick<OperationGate, 'countSubscription'>;
  readonly logger: Logger;
}

/** What a client sends to subscribe, as it came. */
export interface SubscriptionRequest {
  readonly query: unknown;
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
}

/**
 * Reads a document that has to be a subscription, within the limits of every request, and its variables. Whatever is wrong with
 * them is what the client sent: nothing is thrown.
 * @returns it, or what is wrong with it, each error with its code.
 */
export function readSubscription(
  schema: GraphQLSchema,
  { query, operationName, variables }: SubscriptionRequest,
): DocumentNode | GraphQLError[] {
  let document: DocumentNode;
  try {
    document = parse(String(query), { maxTokens: tokensMax });
  } catch (error) {
    return describeFault(error, 'GRAPHQL_PARSE_FAILED');
  }
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== 'subscription') {
    const words = 'Only subscriptions are served here. Send everything else to /graphql.';
    return describeFault(new GraphQLError(words), 'BAD_USER_INPUT');
  }
  try {
    // By itself and first: the rules of graphql-js throw on such a document, and its execution finds no field to subscribe to.
    const [first] = [
      ...validate(schema, document, [refuseConditionsAtRoot]),
      ...validate(schema, document, [...specifiedRules, ...queryLimits]),
    ];
    if (first) return describeFault(first, 'GRAPHQL_VALIDATION_FAILED');
  } catch (error) {
    return describeFault(error, 'GRAPHQL_VALIDATION_FAILED');
  }
  const { errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables ?? {}, { maxErrors: 1 });
  return errors?.[0] ? describeFault(errors[0], 'BAD_USER_INPUT') : document;
}

// What is not GraphQL's own error was not written for the client.
function describeFault(error: unknown, code: string): GraphQLError[] {
  const words = error instanceof GraphQLError ? error.message : 'The query cannot be read.';
  const [said = words] = words.split(' Did you mean ', 1);
  return [new GraphQLError(said, { extensions: { code } })];
}

/** Subscribes. Whatever is thrown on the way is an error of this subscription, and of no other on the same connection. */
export async function subscribeAlone(args: ExecutionArgs): ReturnType<typeof subscribe> {
  try {
    return await subscribe(args);
  } catch (error) {
    return { errors: [new GraphQLError('The subscription failed.', { originalError: error as Error })] };
  }
}

/** @param signal Aborted when the reader has left. */
export function createSubscriptionContext(
  { viewers, liveBalances }: SubscriptionParts,
  request: AskingRequest,
  { viewer, signal }: { readonly viewer: Caller; readonly signal: AbortSignal },
): GraphqlContext & BalanceWatch {
  return {
    viewer,
    isSessionOver: false,
    // A subscription changes nothing, and nothing that it does could be repeated.
    refuseOtherOwner: () => {},
    token: null,
    idempotencyKey: null,
    addressOfCaller: request.ip ?? 'unknown',
    userAgent: request.headers['user-agent'] ?? null,
    isSignedInByCookie: viewers.isByCookie(request),
    // Nothing that a subscription does begins or ends a session.
    deviceTokens: [],
    stepToken: null,
    providerToken: null,
    requireFresh: async () => {},
    setStepCookie: () => {},
    clearStepCookie: () => {},
    setProviderCookie: () => {},
    clearProviderCookie: () => {},
    setDeviceCookie: () => {},
    setSessionCookie: () => {},
    clearSessionCookie: () => {},
    loadOnce: createLoadOnce(),
    watchBalance: () => {
      const isStillAllowed = () => viewers.mayStill(balanceAccess, request, viewer);
      return liveBalances.watch({ accountId: viewer.accountId, isStillAllowed, signal });
    },
  };
}
