import { useMutation } from '@apollo/client/react';
import { graphql } from '../../../gql';
import { formatCredits } from '../../../lib/format/format-credits';
import type { Act, ActInput } from '../act-dialog';
import { type ActWords, say, showOnce } from '../act-words';
import { readAgain } from '../read-again';

const GrantDocument = graphql(`
  mutation OperatorGrantCredits($input: OperatorCreditInput!) {
    operator {
      grantCredits(input: $input) {
        isMoved
        available
      }
    }
  }
`);

const TakeBackDocument = graphql(`
  mutation OperatorTakeBackCredits($input: OperatorCreditInput!) {
    operator {
      takeBackCredits(input: $input) {
        isMoved
        available
      }
    }
  }
`);

const FreezeDocument = graphql(`
  mutation OperatorFreezeAccount($accountId: ID!, $reason: String!) {
    operator {
      freezeAccount(accountId: $accountId, reason: $reason)
    }
  }
`);

const OpenDocument = graphql(`
  mutation OperatorOpenAccount($accountId: ID!, $reason: String!) {
    operator {
      openAccount(accountId: $accountId, reason: $reason)
    }
  }
`);

const RevokeKeyDocument = graphql(`
  mutation OperatorRevokeKey($keyId: ID!, $reason: String!) {
    operator {
      revokeKey(keyId: $keyId, reason: $reason)
    }
  }
`);

const EndSessionsDocument = graphql(`
  mutation OperatorEndSessions($accountId: ID!, $reason: String!) {
    operator {
      endSessions(accountId: $accountId, reason: $reason)
    }
  }
`);

const ResetLinkDocument = graphql(`
  mutation OperatorCreateResetLink($accountId: ID!, $reason: String!) {
    operator {
      createResetLink(accountId: $accountId, reason: $reason)
    }
  }
`);

const AssignPriceGroupDocument = graphql(`
  mutation OperatorAssignPriceGroup($input: OperatorPricedAccountInput!) {
    operator {
      assignPriceGroup(input: $input)
    }
  }
`);

const resetLinkWords = {
  label: 'Create a reset link',
  words: 'A link for a new password, for the owner alone: shown once, good for 30 minutes and one use.',
};

/** Puts an account into a price group, or out of any. */
export function useAssignPriceGroup(accountId: string, onDone: () => Promise<unknown>): Act {
  const [assign] = useMutation(AssignPriceGroupDocument);
  return {
    label: 'Set the price group',
    keptAs: `price group of ${accountId}`,
    words: 'It applies from the next call on every server. Running calls keep their price.',
    fields: [{ name: 'group', label: 'Group', description: 'Empty: none, the list price.', isOptional: true }],
    run: async ({ reason, values }) => {
      const group = values.group?.trim() || null;
      await assign({ variables: { input: { accountId, group, reason } } });
      return readAgain(onDone);
    },
  };
}

/** What an operator can do to an account; after each, the page is read again. */
export function useAccountActs(accountId: string, onDone: () => Promise<unknown>) {
  const [grant] = useMutation(GrantDocument);
  const [takeBack] = useMutation(TakeBackDocument);
  const [freeze] = useMutation(FreezeDocument);
  const [open] = useMutation(OpenDocument);
  const [revokeKey] = useMutation(RevokeKeyDocument);
  const [endSessions] = useMutation(EndSessionsDocument);
  const [createResetLink] = useMutation(ResetLinkDocument);
  const creditInput = ({ reason, credits, once }: ActInput) => ({ input: { accountId, reason, credits, once } });
  const done = async (words: ActWords | null) => {
    await readAgain(onDone);
    return words;
  };
  return {
    grantCredits: {
      label: 'Give credits',
      words: 'They are available at once. Above the set amount, a second operator has to approve.',
      ...{ hasCredits: true, madeOnce: `grant ${accountId}` },
      run: async (input) => {
        const { data } = await grant({ variables: creditInput(input) });
        return done(say(describeMove(data?.operator.grantCredits)));
      },
    },
    takeBackCredits: {
      label: 'Take credits back',
      words:
        'Credits that are already spent become a debt that the next credits repay. No card is charged for it: an automatic top-up that it would trigger is turned off, and its owner is notified.',
      ...{ hasCredits: true, isDangerous: true, madeOnce: `take back ${accountId}` },
      run: async (input) => {
        const { data } = await takeBack({ variables: creditInput(input) });
        return done(say(describeMove(data?.operator.takeBackCredits)));
      },
    },
    freezeAccount: {
      label: 'Freeze',
      words: 'No new calls start. Running ones are settled.',
      isDangerous: true,
      run: async ({ reason }) => {
        await freeze({ variables: { accountId, reason } });
        return done(null);
      },
    },
    openAccount: {
      label: 'Open',
      words: 'Lifts a freeze by operators or by the auditor. An open dispute keeps the account frozen.',
      run: async ({ reason }) => {
        await open({ variables: { accountId, reason } });
        return done(null);
      },
    },
    endSessions: {
      label: 'End all sessions',
      words: 'The owner has to sign in again, on every device.',
      isDangerous: true,
      run: async ({ reason }) => {
        await endSessions({ variables: { accountId, reason } });
        return done(null);
      },
    },
    createResetLink: {
      ...resetLinkWords,
      run: async ({ reason }) => {
        const { data } = await createResetLink({ variables: { accountId, reason } });
        return done(showOnce(data?.operator.createResetLink));
      },
    },
    revokeKey: (keyId: string) =>
      ({
        label: 'Revoke',
        words: `The key ${keyId} stops working permanently, on every server.`,
        isDangerous: true,
        run: async ({ reason }) => {
          await revokeKey({ variables: { keyId, reason } });
          return done(null);
        },
      }) satisfies Act,
  } satisfies Record<string, Act | ((id: string) => Act)>;
}

function describeMove(move: { readonly isMoved: boolean; readonly available?: number | null } | undefined): string {
  if (!move?.isMoved) return 'This is above the limit for one operator. It waits for a second one to approve.';
  return `Done. ${formatCredits(move.available ?? 0)} credits are available now.`;
}
