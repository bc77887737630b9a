import { Stack } from '@mantine/core';
import { PageHeader } from '../../components/page-header';
import { AutoTopUpCard } from '../../features/purchases/auto-top-up-card';
import { BalanceAlertCard } from '../../features/purchases/balance-alert-card';
import { BalanceCard } from '../../features/purchases/balance-card';
import { BuyCredits } from '../../features/purchases/buy-credits';
import { GiftCodeCard } from '../../features/purchases/gift-code-card';
import { PurchaseList } from '../../features/purchases/purchase-list';
import { StatementList } from '../../features/statement/statement-list';

/** /credits */
export default function CreditsRoute() {
  return (
    <>
      <PageHeader title="Credits" description="Bought in advance, spent by the token." />
      <Stack gap="lg">
        <BalanceCard />
        <BuyCredits />
        <GiftCodeCard />
        <AutoTopUpCard />
        <BalanceAlertCard />
        <PurchaseList />
        <StatementList />
      </Stack>
    </>
  );
}
