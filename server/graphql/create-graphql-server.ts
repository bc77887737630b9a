import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import type { Logger } from '../kernel/logger.js';
import type { GraphqlContext } from './graphql-context.js';
import { createErrorFormatter } from './graphql-error.js';
import { buildGraphqlSchema, type ResolverInstances } from './graphql-schema.js';
import { queryLimits } from './query-limits.js';

/** Starts the GraphQL server; `createGraphqlMiddleware` connects it to HTTP, and `stop` ends it. */
export async function createGraphqlServer(
  resolvers: ResolverInstances,
  logger: Logger,
): Promise<ApolloServer<GraphqlContext>> {
  const server = new ApolloServer<GraphqlContext>({
    schema: buildGraphqlSchema([...resolvers.keys()], resolvers),
    introspection: true,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    hideSchemaDetailsFromClientErrors: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens: 1_000 },
    maxRecursiveSelections: 500,
    validationRules: [...queryLimits],
    plugins: [ApolloServerPluginLandingPageDisabled()],
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
