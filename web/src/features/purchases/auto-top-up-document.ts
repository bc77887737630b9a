import { graphql } from '../../gql';

export const AutoTopUpDocument = graphql(`
  query AutoTopUp {
    autoTopUp {
      isOn
      threshold
      dollars
      monthlyCapDollars
      boughtThisMonthDollars
      card {
        brand
        last4
        expiryMonth
        expiryYear
      }
      failure
      pausedUntil
      consentText
    }
  }
`);
