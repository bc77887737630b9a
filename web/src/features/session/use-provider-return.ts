import { useMutation } from '@apollo/client/react';
import { useEffect, useRef } from 'react';
import { useSearchParams } from 'react-router';
import { graphql } from '../../gql';
import { graphqlErrorReason, graphqlErrorSentence } from '../../lib/graphql-error-message';
import { forgetSignUpInvitation, keepSignUpInvitation } from '../../lib/session/kept-invitation';
import { useEnterSession } from './use-enter-session';

const FinishProviderSignInDocument = graphql(`
  mutation FinishProviderSignIn($invitation: String) {
    finishProviderSignIn(invitation: $invitation) {
      account {
        id
      }
    }
  }
`);

interface ReturnSteps {
  readonly onFault: (fault: string) => void;
  readonly onSecondStep: () => void;
}

/** Finishes the sign-in of whom a provider has sent back to this page, once. @returns whether it does. */
export function useProviderReturn({ onFault, onSecondStep }: ReturnSteps): boolean {
  const [search, setSearch] = useSearchParams();
  const [finish] = useMutation(FinishProviderSignInDocument);
  const enterSession = useEnterSession();
  const hasBegun = useRef(false);
  const isReturn = search.has('with') && !search.has('fault');

  useEffect(() => {
    if (!isReturn || hasBegun.current) return;
    hasBegun.current = true;
    // The page that is left behind must not try again what is good once.
    const leave = () =>
      setSearch(
        (query) => {
          query.delete('with');
          return query;
        },
        { replace: true },
      );
    const enter = async () => {
      forgetSignUpInvitation();
      await enterSession();
    };
    const invitation = keepSignUpInvitation() || null;
    finish({ variables: { invitation } }).then(enter, (error: unknown) => {
      leave();
      if (graphqlErrorReason(error) === 'second_factor_required') onSecondStep();
      else onFault(graphqlErrorSentence(error));
    });
  });
  return isReturn;
}
