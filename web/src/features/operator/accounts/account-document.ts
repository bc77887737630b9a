import { graphql } from '../../../gql';

export const OperatorAccountDocument = graphql(`
  query OperatorAccountPage($id: ID!) {
    operator {
      account(id: $id) {
        id
        email
        name
        createdAt
        emailVerifiedAt
        closedAt
        priceGroup {
          name
          multiplier
        }
        limits {
          requestsPerMinute
          tokensPerMinute
          concurrentCalls
          keysMax
          models
        }
        wallet {
          available
          held
          debt
          isFrozen
          frozenFor
        }
        statement(first: 20) {
          id
          type
          at
          amount
          balanceAfter
        }
        keys(first: 20) {
          id
          name
          maskedSecret
          lastUsedAt
          revokedAt
        }
        calls(first: 20) {
          id
          startedAt
          model
          provider
          outcome
          charged
        }
        purchases(first: 20) {
          id
          cents
          credits
          status
          refundedCents
          createdAt
          paymentId
        }
        sessions {
          id
          lastUsedAt
          userAgent
        }
        notices(first: 20) {
          id
          channel
          title
          state
          attempts
          createdAt
        }
        changes(first: 20) {
          id
          at
          actor
          action
          accountId
          subject
          amount
          reason
        }
      }
    }
  }
`);
