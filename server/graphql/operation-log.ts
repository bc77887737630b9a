import type { ApolloServerPlugin } from '@apollo/server';
import type { Stopwatch } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import type { GraphqlContext } from '../schema/graphql-context.js';

/** A name is the caller's own word, so it is cut. */
const nameLengthMax = 64;
const fieldsMax = 10;

/**
 * One line for each operation that was run: its name, the fields it asks for, how long it took and the codes of its errors. Never
 * an argument, a variable or an answer.
 */
export function createOperationLog(logger: Logger, clock: Stopwatch): ApolloServerPlugin<GraphqlContext> {
  return {
    requestDidStart: async () => {
      const startedMs = clock.elapsedMs();
      return {
        willSendResponse: async ({ operation, contextValue, response: { body } }) => {
          if (!operation) return;
          // As the caller is told of them; before that, they have the words of libraries.
          const errors = body.kind === 'single' ? (body.singleResult.errors ?? []) : [];
          const fields = operation.selectionSet.selections
            .flatMap((selection) => (selection.kind === 'Field' ? [selection.name.value] : []))
            .slice(0, fieldsMax);
          logger.info('graphql_operation', {
            kind: operation.operation,
            name: operation.name?.value.slice(0, nameLengthMax) ?? null,
            fields,
            accountId: contextValue.viewer?.accountId ?? null,
            keyId: contextValue.viewer?.key?.keyId ?? null,
            durationMs: Math.round(clock.elapsedMs() - startedMs),
            errorCodes: errors.map(({ extensions }) => extensions?.code ?? null).slice(0, fieldsMax),
          });
        },
      };
    },
  };
}
