import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import type { BalanceWatch, LiveBalances } from '../accounts/live-balances.js';
import type { Logger } from '../kernel/logger.js';
import { balanceAccess } from '../schema/access.js';
import { type Caller, createLoadOnce, type GraphqlContext } from '../schema/graphql-context.js';
import type { AskingRequest } from './cookies/session-cookie.js';
import { queryLimits, tokensMax } from './limits/query-limits.js';
import type { RequestViewer } from './request-viewer.js';

/** What serves subscriptions, by whatever connection. */
export interface SubscriptionParts {
  readonly schema: GraphQLSchema;
  readonly viewers: RequestViewer;
  readonly liveBalances: LiveBalances;
  readonly logger: Logger;
}

/** Reads a document that has to be a subscription, within the limits of every request. @returns it, or what is wrong with it. */
export function readSubscription(
  schema: GraphQLSchema,
  query: unknown,
  operationName?: string | null,
): DocumentNode | GraphQLError[] {
  const fault = (message: string, code: string) => [new GraphQLError(message, { extensions: { code } })];
  let document: DocumentNode;
  try {
    document = parse(String(query), { maxTokens: tokensMax });
  } catch (error) {
    return fault(error instanceof Error ? error.message : 'The query cannot be read.', 'GRAPHQL_PARSE_FAILED');
  }
  if (getOperationAST(document, operationName)?.operation !== 'subscription') {
    return fault('Only subscriptions are served here. Send everything else to /graphql.', 'BAD_USER_INPUT');
  }
  const errors = validate(schema, document, [...specifiedRules, ...queryLimits]);
  const [first] = errors;
  return first ? fault(first.message.replace(/ Did you mean .*$/, ''), 'GRAPHQL_VALIDATION_FAILED') : document;
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
