import { useMutation, useQuery } from '@apollo/client/react';
import { Alert, Skeleton, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { useSearchParams } from 'react-router';
import { ErrorPanel } from '../../components/error-panel';
import { SectionCard } from '../../components/section-card';
import { graphql } from '../../gql';
import type { AutoTopUpQuery } from '../../gql/graphql';
import { formatAbsoluteTime } from '../../lib/format/format-time';
import { useTellFailure } from '../../lib/forms/lost-answers';
import { AgreeAgain } from './agree-again';
import { AutoTopUpDocument } from './auto-top-up-document';
import { AutoTopUpForm } from './auto-top-up-form';
import { SavedCardLine } from './saved-card-line';
import { TopUpOfAnother } from './top-up-of-another';

const ConfirmCardSetupDocument = graphql(`
  mutation ConfirmCardSetup($id: ID!) {
    confirmCardSetup(id: $id) {
      card {
        last4
      }
    }
  }
`);

/** Credits that are bought by themselves: the card, the limits, the consent, and what went wrong last. */
export function AutoTopUpCard() {
  const { data, error, refetch } = useQuery(AutoTopUpDocument);
  useCardSetupReturn(refetch);
  const topUp = data?.autoTopUp;
  return (
    <SectionCard
      title="Automatic top-up"
      description="Buys credits with your saved card whenever the balance falls below a threshold."
    >
      {error && <ErrorPanel title="The automatic top-up could not be loaded" error={error} onRetry={refetch} />}
      {!topUp && !error && <Skeleton height={160} />}
      {topUp && (
        <Stack gap="lg">
          <TopUpFailure topUp={topUp} />
          <SavedCardLine
            card={topUp.card ?? null}
            cardSavedBy={topUp.cardSavedBy ?? null}
            isCardYours={topUp.isCardYours}
          />
          {topUp.card && !topUp.isCardYours ? (
            <TopUpOfAnother topUp={topUp} />
          ) : (
            <AutoTopUpForm key={`${topUp.isOn} ${topUp.card?.last4}`} topUp={topUp} />
          )}
        </Stack>
      )}
    </SectionCard>
  );
}

type TopUp = AutoTopUpQuery['autoTopUp'];

/** Nothing was tried: it was turned off so that money which went back is not taken again, or no card is charged without consent. */
const turnedOffWords: Record<string, string> = {
  refunded: 'A purchase was refunded, so your card is not charged again until you turn this back on.',
  disputed: 'A purchase is disputed, so your card is not charged again until you turn this back on.',
  taken_back:
    'The operator took back credits, so your card is not charged to replace them. You can turn this back on at any time.',
  payer_left:
    'The person who saved the card may no longer pay for this account, so the card was removed. Save a card of your own to continue.',
  consent_needed:
    'The person who saved the card has to confirm these amounts, because somebody else may have set them.',
};

const failureWords: Record<string, string> = {
  card_declined: 'Your card was declined.',
  canceled: 'The payment was canceled before it was taken.',
  authentication_required: 'Your bank requires you to confirm payments with this card. Save another card to continue.',
  no_card: 'Your saved card was removed. Save a card to continue.',
  no_answer: 'The payment did not go through.',
  monthly_cap: 'The monthly limit is reached. Buy credits manually, or raise the limit.',
  ...turnedOffWords,
};

function TopUpFailure({ topUp }: { topUp: TopUp }) {
  const { failure, pausedUntil, isOn } = topUp;
  if (!failure) return null;
  const next = pausedUntil
    ? ` It is tried again from ${formatAbsoluteTime(pausedUntil)}.`
    : isOn
      ? ''
      : ' It is off now.';
  const isTurnedOff = failure in turnedOffWords;
  return (
    <Alert
      color="amber"
      title={isTurnedOff ? 'The automatic top-up was turned off' : 'The last automatic top-up failed'}
    >
      {failureWords[failure] ?? failure}
      {next}
      {failure === 'consent_needed' && topUp.isCardYours && <AgreeAgain topUp={topUp} />}
    </Alert>
  );
}

/** Takes over the card that was saved on the payment service's page, when the browser has just come from there. */
function useCardSetupReturn(onSaved: () => Promise<unknown>): void {
  const [search, setSearch] = useSearchParams();
  const tellFailure = useTellFailure();
  const [confirm] = useMutation(ConfirmCardSetupDocument);
  const setupId = search.get('card');
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per setup that the browser came back from
  useEffect(() => {
    if (setupId === null) return;
    confirm({ variables: { id: setupId } })
      .then(async ({ data }) => {
        await onSaved();
        const last4 = data?.confirmCardSetup.card?.last4;
        if (last4) notifications.show({ title: 'Card saved', message: `The card that ends in ${last4} is saved.` });
      })
      .catch((failure) =>
        tellFailure(failure, {
          refused: 'The card was not saved',
          whether: 'whether the card was saved',
          remedy: 'Load this page again: it shows the card that is saved.',
        }),
      )
      .finally(() => setSearch({}, { replace: true }));
  }, [setupId]);
}
