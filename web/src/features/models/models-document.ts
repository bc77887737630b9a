import { graphql } from '../../gql';
import type { ModelsQuery } from '../../gql/graphql';

export const ModelsDocument = graphql(`
  query Models {
    models {
      id
      tier
      endpoint
      creditsPerThousandTokens
      contextTokens
      maxOutputTokens
      isDemo
      capabilities {
        vision
        tools
        jsonSchema
        reasoning
      }
      routes {
        provider
        upstreamModel
        state
      }
    }
  }
`);

export type Model = ModelsQuery['models'][number];
