import { useQuery } from '@apollo/client/react';
import { Anchor, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useState } from 'react';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import { BusyButton } from '../../components/buttons/busy-button';
import { ErrorPanel } from '../../components/error-panel';
import { LinkButton } from '../../components/link-button';
import { graphql } from '../../gql';
import type { SimulatedPurchaseQuery } from '../../gql/graphql';
import { formatCredits, groupThousands } from '../../lib/format/format-credits';
import classes from './checkout-sheet.module.css';

const SimulatedPurchaseDocument = graphql(`
  query SimulatedPurchase($id: ID!) {
    purchase(id: $id) {
      id
      dollars
      credits
      status
      isSimulated
    }
    providers {
      id
      name
      isDemo
    }
  }
`);

type Purchase = NonNullable<SimulatedPurchaseQuery['purchase']>;

/** Stands in for the payment page of Stripe where none is configured; says so loudly. */
export function SimulatedCheckout({ purchaseId }: { purchaseId: string }) {
  useDocumentTitle('Simulated checkout · Tollgate');
  const { data, error, refetch } = useQuery(SimulatedPurchaseDocument, {
    variables: { id: purchaseId },
  });
  return (
    <div className={classes.sheet}>
      <div className={classes.stripes} aria-hidden="true" />
      <div className={classes.body}>
        <Title order={1} size="h2">
          Simulated checkout – no real money
        </Title>
        {error && <ErrorPanel title="The purchase could not be loaded" error={error} onRetry={refetch} />}
        {!data && !error && <Skeleton height={160} />}
        {data &&
          (data.purchase?.isSimulated ? (
            <Payment purchase={data.purchase} providers={data.providers} />
          ) : (
            <NoSuchPurchase />
          ))}
      </div>
    </div>
  );
}

/** What simulated credits buy that somebody pays for all the same; nothing where only the demo provider answers. */
function RealCostNote({ providers }: { providers: SimulatedPurchaseQuery['providers'] }) {
  const names = providers.filter(({ isDemo }) => !isDemo).map(({ name }) => name);
  if (names.length === 0) return null;
  return (
    <Text size="sm" c="dimmed">
      They also buy answers from {names.join(', ')}, which the operator of this server pays for.
    </Text>
  );
}

interface PaymentProps {
  purchase: Purchase;
  providers: SimulatedPurchaseQuery['providers'];
}

function Payment({ purchase, providers }: PaymentProps) {
  const [isPaying, setIsPaying] = useState(false);
  if (purchase.status !== 'PENDING') {
    return (
      <Stack gap="md" align="flex-start">
        <Text>
          {purchase.status === 'PAID'
            ? 'This purchase is already paid. You are not charged twice.'
            : 'This checkout has expired. Nothing was charged; start a new purchase.'}
        </Text>
        <LinkButton to={paths.credits()}>Back to credits</LinkButton>
      </Stack>
    );
  }
  return (
    <Stack gap="lg">
      <dl className={classes.lines}>
        <div>
          <dt>{formatCredits(purchase.credits)} credits</dt>
          <dd>${groupThousands(purchase.dollars)}.00</dd>
        </div>
        <div className={classes.total}>
          <dt>To pay</dt>
          <dd>${groupThousands(purchase.dollars)}.00</dd>
        </div>
      </dl>
      <Text size="sm" c="dimmed">
        This server has no payment provider, so no payment is made. The credits work on this server.
      </Text>
      <RealCostNote providers={providers} />
      {/* A plain form: the server answers with a redirect, as a payment provider would. */}
      <form method="post" action={paths.simulatedPayment(purchase.id)} onSubmit={() => setIsPaying(true)}>
        <BusyButton type="submit" size="md" fullWidth isBusy={isPaying}>
          {isPaying ? 'Paying …' : `Pay $${groupThousands(purchase.dollars)}.00 (simulated)`}
        </BusyButton>
      </form>
      <Anchor component={Link} to={paths.credits()} ta="center" size="sm" underline="always">
        Cancel and go back
      </Anchor>
    </Stack>
  );
}

function NoSuchPurchase() {
  return (
    <Stack gap="md" align="flex-start">
      <Text>Your account has no such purchase. Start a new one on the credits page.</Text>
      <LinkButton to={paths.credits()}>Go to credits</LinkButton>
    </Stack>
  );
}
