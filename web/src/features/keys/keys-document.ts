import { graphql } from '../../gql';
import type { ApiKeysQuery } from '../../gql/graphql';

export const ApiKeysDocument = graphql(`
  query ApiKeys {
    viewer {
      id
      keysMax
    }
    apiKeys {
      id
      name
      madeBy
      mayChange
      maskedSecret
      createdAt
      lastUsedAt
      revokedAt
      scopes
      models
      providers
      spendLimit
      spendPeriod
      spentInPeriod
      spendResetsAt
      requestsPerMinute
      tokensPerMinute
      addresses
      expiresAt
      graceEndsAt
    }
  }
`);

export type ApiKey = ApiKeysQuery['apiKeys'][number];
