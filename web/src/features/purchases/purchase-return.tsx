import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useCallback, useEffect, useState } from 'react';
import { paths } from '../../app/paths';
import { ErrorPanel } from '../../components/error-panel';
import { IconCircleCheck, IconClockHour4 } from '../../components/icons';
import { LinkButton } from '../../components/link-button';
import { graphql } from '../../gql';
import type { ConfirmPurchaseMutation } from '../../gql/graphql';
import { formatCredits } from '../../lib/format/format-credits';
import classes from './checkout-sheet.module.css';

const ConfirmPurchaseDocument = graphql(`
  mutation ConfirmPurchase($id: ID!) {
    confirmPurchase(id: $id) {
      id
      status
      dollars
      credits
      refundedCredits
      disputedCredits
      checkoutUrl
    }
  }
`);

const CreditsThereDocument = graphql(`
  query CreditsThere {
    viewer {
      id
      debt
      isFrozen
      balance {
        available
      }
    }
  }
`);

type Purchase = ConfirmPurchaseMutation['confirmPurchase'];

/** Most payments arrive within seconds, and others take days: five minutes together. */
const waitsMs = [3_000, 3_000, 3_000, 6_000, 6_000, 10_000, 20_000, 30_000, 45_000, 60_000, 60_000, 60_000];

/** Where a checkout ends: asks the server whether the money is there, and again for some minutes while it is not. */
export function PurchaseReturn({ purchaseId }: { purchaseId: string }) {
  useDocumentTitle('Your purchase · Tollgate');
  const [confirmPurchase] = useMutation(ConfirmPurchaseDocument);
  const [purchase, setPurchase] = useState<Purchase | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [lookCount, setLookCount] = useState(0);

  const confirm = useCallback(async () => {
    try {
      // Safe to ask as often as one likes: the server credits a purchase once.
      const { data } = await confirmPurchase({ variables: { id: purchaseId } });
      setPurchase(data?.confirmPurchase ?? null);
      setError(null);
    } catch (failure) {
      setError(failure);
    }
  }, [confirmPurchase, purchaseId]);

  useEffect(() => void confirm(), [confirm]);

  const isPending = purchase?.status === 'PENDING';
  useEffect(() => {
    const waitMs = waitsMs[lookCount];
    if (!isPending || waitMs === undefined) return;
    const look = () => confirm().then(() => setLookCount(lookCount + 1));
    const timer = setTimeout(() => void look(), waitMs);
    return () => clearTimeout(timer);
  }, [isPending, lookCount, confirm]);

  return (
    <div className={classes.sheet}>
      <div className={classes.stripes} aria-hidden="true" />
      <div className={classes.body} aria-live="polite">
        {error !== null && <ErrorPanel title="The purchase could not be confirmed" error={error} onRetry={confirm} />}
        {purchase !== null && (
          <PurchaseState purchase={purchase} isLooking={lookCount < waitsMs.length} onCheck={confirm} />
        )}
        {purchase === null && error === null && <Skeleton height={140} aria-label="Confirming your purchase" />}
        {purchase === null && error !== null && <LinkButton to={paths.credits()}>Back to credits</LinkButton>}
      </div>
    </div>
  );
}

/** What was bought, what of it was taken back, and what can be spent now: a debt is repaid first, and calls may have used the rest. */
function PaidPurchase({ purchase }: { purchase: Purchase }) {
  const { data } = useQuery(CreditsThereDocument, { fetchPolicy: 'network-only' });
  const { credits, refundedCredits, disputedCredits } = purchase;
  const viewer = data?.viewer;
  return (
    <Stack gap="sm" align="flex-start">
      <IconCircleCheck size={40} color="var(--mantine-color-pine-5)" aria-hidden />
      <Title order={1}>Paid. Thank you</Title>
      <Text>
        {formatCredits(credits)} credits were bought.
        {refundedCredits > 0 && ` ${formatCredits(refundedCredits)} were refunded.`}
        {disputedCredits > 0 && ` ${formatCredits(disputedCredits)} were taken back in a dispute.`}
        {viewer && ` ${availableWords(viewer.balance.available, viewer.debt)}`}
        {viewer?.isFrozen && ' The account is frozen. Calls are refused until it is released.'}
      </Text>
      <Group mt="sm">
        <LinkButton to={paths.credits()}>Back to credits</LinkButton>
        {!viewer?.isFrozen && (
          <LinkButton to={paths.overview()} variant="default">
            Make a call
          </LinkButton>
        )}
        <LinkButton to={paths.purchaseReceipt(purchase.id)} variant="default">
          Receipt
        </LinkButton>
      </Group>
    </Stack>
  );
}

function availableWords(available: number, debt: number): string {
  const words = `${formatCredits(available)} credits are available now`;
  return debt > 0 ? `A debt is repaid first: ${words}, and ${formatCredits(debt)} are still owed.` : `${words}.`;
}

interface PurchaseStateProps {
  purchase: Purchase;
  /** Whether the page still asks by itself. */
  isLooking: boolean;
  onCheck: () => Promise<void>;
}

function PurchaseState({ purchase, isLooking, onCheck }: PurchaseStateProps) {
  const credits = `${formatCredits(purchase.credits)} credits`;
  if (purchase.status === 'PAID') return <PaidPurchase purchase={purchase} />;
  if (purchase.status === 'PENDING') {
    return (
      <Stack gap="sm" align="flex-start">
        <IconClockHour4 size={40} color="var(--mantine-color-amber-5)" aria-hidden />
        <Title order={1}>Still pending</Title>
        <Text>
          The payment for {credits} has not arrived.{' '}
          {isLooking
            ? 'This page checks again automatically. You may also leave it.'
            : 'This page has stopped checking. The credits are added automatically once it arrives; some payments take days.'}
        </Text>
        <Group mt="sm">
          <LinkButton to={paths.credits()}>Back to credits</LinkButton>
          <Button variant="default" onClick={() => void onCheck()}>
            Check now
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <Stack gap="sm" align="flex-start">
      <Title order={1}>This checkout has expired</Title>
      <Text>Nothing was charged. Start a new purchase whenever you like.</Text>
      <LinkButton to={paths.credits()}>Back to credits</LinkButton>
    </Stack>
  );
}
