import { useMutation, useQuery } from '@apollo/client/react';
import { SimpleGrid, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { BusyButton } from '../../components/buttons/busy-button';
import { ErrorPanel } from '../../components/error-panel';
import { SectionCard } from '../../components/section-card';
import { graphql } from '../../gql';
import { formatCredits, groupThousands } from '../../lib/format/format-credits';
import { failureSentences, useMadeOnce, useShowWhatIs } from '../../lib/forms/lost-answers';
import { graphqlErrorField } from '../../lib/graphql-error-message';
import { useIsFrozen } from '../../lib/session/use-standing';
import { dollarsFault, dollarsMax, dollarsMin } from '../../lib/validate-dollars';
import classes from './buy-credits.module.css';
import { useLeaving } from './use-leaving';

const CreditPacksDocument = graphql(`
  query CreditPacks {
    creditPacks {
      id
      dollars
      credits
    }
  }
`);

const StartCheckoutDocument = graphql(`
  mutation StartCheckout($input: StartCheckoutInput!, $idempotencyKey: String!) {
    startCheckout(input: $input, idempotencyKey: $idempotencyKey) {
      purchase {
        id
      }
      url
    }
  }
`);

const whenUnclear = {
  whether: 'whether the purchase was begun',
  remedy: 'Press the same button again. No second purchase is started, and nothing is charged before you pay.',
};

/** Packs and a free amount; either leads to the checkout. Where none are sold, it says so. */
export function BuyCredits() {
  const isFrozen = useIsFrozen();
  return (
    <SectionCard title="Buy credits" description="1 dollar is 1,000 credits. Credits do not expire.">
      {isFrozen ? (
        <Text c="dimmed">
          No credits are sold while the account is frozen. The top of this page says why, and what to do.
        </Text>
      ) : (
        <Offers />
      )}
    </SectionCard>
  );
}

function Offers() {
  const { data, error, refetch } = useQuery(CreditPacksDocument, { fetchPolicy: 'cache-first' });
  const [startCheckout] = useMutation(StartCheckoutDocument);
  const { isLeaving, setIsLeaving, goTo } = useLeaving();
  /** The id of a pack, or `another` for an amount of one's own. */
  const [pressed, setPressed] = useState<string | null>(null);
  const makeOnce = useMadeOnce();
  const showWhatIs = useShowWhatIs();

  /** Goes to the checkout; rejects, with the buttons free again, when the server refuses. */
  async function checkOut(input: { packId: string } | { dollars: number }) {
    setIsLeaving(true);
    setPressed('packId' in input ? input.packId : 'another');
    try {
      const { data: started } = await makeOnce(input, (idempotencyKey) =>
        startCheckout({ variables: { input, idempotencyKey } }),
      );
      if (started) goTo(started.startCheckout.url);
    } catch (failure) {
      setIsLeaving(false);
      showWhatIs(failure);
      throw failure;
    }
  }

  function buyPack(packId: string) {
    checkOut({ packId }).catch((failure) =>
      notifications.show({
        color: 'red',
        title: 'The checkout did not open',
        message: failureSentences(failure, whenUnclear),
      }),
    );
  }

  return (
    <Stack gap="lg">
      {error && <ErrorPanel title="The packs could not be loaded" error={error} onRetry={refetch} />}
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="md">
        {!data && !error && ['a', 'b', 'c', 'd'].map((key) => <Skeleton key={key} height={148} />)}
        {data?.creditPacks.map((pack) => (
          <div key={pack.id} className={classes.pack}>
            <Text className={classes.price}>${groupThousands(pack.dollars)}</Text>
            <Text c="dimmed" size="sm" mb="md">
              {formatCredits(pack.credits)} credits
            </Text>
            <BusyButton
              fullWidth
              variant="light"
              isBusy={isLeaving}
              onClick={() => buyPack(pack.id)}
              aria-label={`Buy ${formatCredits(pack.credits)} credits for $${pack.dollars}`}
            >
              {isLeaving && pressed === pack.id ? opening : 'Buy'}
            </BusyButton>
          </div>
        ))}
      </SimpleGrid>
      <FreeAmountForm
        isBusy={isLeaving}
        isOpening={isLeaving && pressed === 'another'}
        onBuy={(dollars) => checkOut({ dollars })}
      />
    </Stack>
  );
}

const opening = 'Opening …';

interface FreeAmountFormProps {
  isBusy: boolean;
  isOpening: boolean;
  onBuy: (dollars: number) => Promise<void>;
}

function FreeAmountForm({ isBusy, isOpening, onBuy }: FreeAmountFormProps) {
  const form = useForm({ mode: 'uncontrolled', initialValues: { dollars: '' }, validate: { dollars: dollarsFault } });
  const [credits, setCredits] = useState('');
  form.watch('dollars', ({ value }) =>
    setCredits(dollarsFault(value) === null ? `${groupThousands(value.trim())},000` : ''),
  );

  async function submit({ dollars }: { dollars: string }) {
    try {
      await onBuy(Number(dollars.trim()));
    } catch (error) {
      // A conflict of any kind concerns the amount here: there is no other field.
      form.setFieldError(graphqlErrorField(error, ['dollars']) ?? 'dollars', failureSentences(error, whenUnclear));
    }
  }

  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <TextInput
        name="dollars"
        label="Another amount"
        description={`Whole dollars, ${dollarsMin} to ${groupThousands(dollarsMax)}.`}
        inputMode="numeric"
        leftSection="$"
        leftSectionProps={{ 'aria-hidden': true }}
        // The button stands beside the field itself, so that a message below the field does not move it.
        inputContainer={(field) => (
          <div className={classes.freeAmount}>
            {field}
            <BusyButton type="submit" size="md" variant="default" isBusy={isBusy}>
              {isOpening ? opening : credits === '' ? 'Buy credits' : `Buy ${credits} credits`}
            </BusyButton>
          </div>
        )}
        key={form.key('dollars')}
        {...form.getInputProps('dollars')}
      />
    </form>
  );
}
