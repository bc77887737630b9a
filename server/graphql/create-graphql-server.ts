import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import { systemClock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import type { GraphqlContext } from '../schema/graphql-context.js';
import { createErrorFormatter } from './graphql-error.js';
import type { OperationGate } from './limits/operation-gate.js';
import { queryLimits, tokensMax } from './limits/query-limits.js';
import { createOperationLog } from './operation-log.js';

/** Starts the GraphQL server; `createGraphqlMiddleware` connects it to HTTP, and `stop` ends it. */
export async function createGraphqlServer(
  schema: GraphQLSchema,
  gate: OperationGate,
  logger: Logger,
): Promise<ApolloServer<GraphqlContext>> {
  const server = new ApolloServer<GraphqlContext>({
    schema,
    // Whether somebody may ask is judged by the gate, who knows who asks.
    introspection: true,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    hideSchemaDetailsFromClientErrors: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens: tokensMax },
    maxRecursiveSelections: 500,
    validationRules: [...queryLimits],
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      // It wraps every resolver to reckon, field by field, what is `no-store` in any case.
      ApolloServerPluginCacheControlDisabled(),
      documentFaults,
      gate.plugin,
      createOperationLog(logger, systemClock),
    ],
    formatError: createErrorFormatter(logger),
    logger: {
      debug: () => {},
      info: () => {},
      warn: (message: unknown) => logger.warn('graphql_server_warned', { message: String(message) }),
      error: (message: unknown) => logger.error('graphql_server_failed', { message: String(message) }),
    },
  });
  await server.start();
  return server;
}

/**
 * Apollo calls `validate` of graphql-js with nothing around it, and some rules throw on what a client may write (`@include` with a
 * variable at the root of a subscription). A document that cannot be judged is the client's fault, and never an error of ours.
 */
const documentFaults: ApolloServerPlugin<GraphqlContext> = {
  unexpectedErrorProcessingRequest: async ({ requestContext: { document, ...later }, error }) => {
    // Apollo sets it, be it to undefined, as soon as the document is valid.
    const isValidated = 'operation' in later;
    if (document === undefined || isValidated) return;
    const words = error instanceof GraphQLError ? error.message : 'The query cannot be validated.';
    throw new GraphQLError(words, { extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400 } } });
  },
};
