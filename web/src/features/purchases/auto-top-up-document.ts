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
      cardSavedBy
      isCardYours
      failure
      pausedUntil
      consentText
    }
  }
`);

export const SetAutoTopUpDocument = graphql(`
  mutation SetAutoTopUp($input: AutoTopUpInput!) {
    setAutoTopUp(input: $input) {
      isOn
      threshold
      dollars
      monthlyCapDollars
    }
  }
`);
