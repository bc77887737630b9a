import { graphql } from '../../gql';

/** The fields of `UsageSums` in `usage-series`; queries name it. */
export const UsageSumsFields = graphql(`
  fragment UsageSumsFields on UsageSums {
    calls
    failedCalls
    promptTokens
    completionTokens
    cachedTokens
    reasoningTokens
    charged
  }
`);
