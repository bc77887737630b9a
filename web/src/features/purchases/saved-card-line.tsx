import { useMutation } from '@apollo/client/react';
import { Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { BusyButton } from '../../components/buttons/busy-button';
import { graphql } from '../../gql';
import type { AutoTopUpQuery } from '../../gql/graphql';
import { graphqlErrorMessage } from '../../lib/graphql-error-message';
import { useLeaving } from './use-leaving';

const StartCardSetupDocument = graphql(`
  mutation StartCardSetup {
    startCardSetup {
      url
    }
  }
`);

const OpenBillingPortalDocument = graphql(`
  mutation OpenBillingPortal {
    openBillingPortal
  }
`);

type SavedCard = NonNullable<AutoTopUpQuery['autoTopUp']['card']>;

type Props = Pick<AutoTopUpQuery['autoTopUp'], 'cardSavedBy' | 'isCardYours'> & { readonly card: SavedCard | null };

/** Which card is saved, and whose it is, how to save another one, and where the payment service shows all of them. */
export function SavedCardLine({ card, cardSavedBy, isCardYours }: Props) {
  const [startCardSetup] = useMutation(StartCardSetupDocument);
  const [openPortal] = useMutation(OpenBillingPortalDocument);
  const { isLeaving, setIsLeaving, goTo } = useLeaving();

  async function leaveFor(findUrl: () => Promise<string | undefined>) {
    setIsLeaving(true);
    try {
      const url = await findUrl();
      if (url) goTo(url);
    } catch (failure) {
      setIsLeaving(false);
      notifications.show({ color: 'red', title: 'The page did not open', message: graphqlErrorMessage(failure) });
    }
  }

  return (
    <Group justify="space-between" gap="sm">
      <Text>
        {card === null ? 'No card is saved.' : describeCard(card)}
        {card !== null && !isCardYours && ` ${cardSavedBy ?? 'Another person'} saved it.`}
      </Text>
      <Group gap="sm">
        {card !== null && card.brand !== 'simulated' && isCardYours && (
          <BusyButton
            variant="subtle"
            isBusy={isLeaving}
            onClick={() => leaveFor(async () => (await openPortal()).data?.openBillingPortal)}
          >
            Cards and invoices at Stripe
          </BusyButton>
        )}
        <BusyButton
          variant="default"
          isBusy={isLeaving}
          onClick={() => leaveFor(async () => (await startCardSetup()).data?.startCardSetup.url)}
        >
          {card === null ? 'Save a card' : isCardYours ? 'Save another card' : 'Save a card of your own'}
        </BusyButton>
      </Group>
    </Group>
  );
}

function describeCard({ brand, last4, expiryMonth, expiryYear }: SavedCard): string {
  if (brand === 'simulated') return `Simulated card ending in ${last4}: no real money.`;
  const expiry = `${String(expiryMonth).padStart(2, '0')}/${expiryYear}`;
  return `${brand.charAt(0).toUpperCase()}${brand.slice(1)} ending in ${last4}, valid until ${expiry}.`;
}
