import { Button, Group, Stack } from '@mantine/core';
import { LinkButton } from '../../components/link-button';
import { PageHeader } from '../../components/page-header';
import { RoleNotice } from '../../components/role-notice';
import { AutoTopUpCard } from '../../features/purchases/auto-top-up-card';
import { BalanceAlertCard } from '../../features/purchases/balance-alert-card';
import { BalanceCard } from '../../features/purchases/balance-card';
import { BuyCredits } from '../../features/purchases/buy-credits';
import { GiftCodeCard } from '../../features/purchases/gift-code-card';
import { PurchaseList } from '../../features/purchases/purchase-list';
import { StatementList } from '../../features/statement/statement-list';
import { useRefusal } from '../../lib/session/use-role';
import { pageHeadings } from '../page-headings';
import { paths } from '../paths';

/** /credits */
export default function CreditsRoute() {
  const refusal = useRefusal('pay', 'To buy credits or set alerts');
  return (
    <>
      <PageHeader
        {...pageHeadings.credits}
        actions={
          <Group gap="xs">
            {/* Behind all that is about buying, which is more than a phone shows at once. */}
            <Button component="a" href="#purchases" variant="default">
              Purchases
            </Button>
            <Button component="a" href="#statement" variant="default">
              Statement
            </Button>
            <LinkButton to={paths.proof()} variant="default">
              Proof
            </LinkButton>
          </Group>
        }
      />
      <Stack gap="lg">
        <BalanceCard />
        {refusal === null ? (
          <>
            <BuyCredits />
            <GiftCodeCard />
            <AutoTopUpCard />
            <BalanceAlertCard />
          </>
        ) : (
          <RoleNotice>{refusal}</RoleNotice>
        )}
        <div id="purchases">
          <PurchaseList arePacksAbove={refusal === null} />
        </div>
        <div id="statement">
          <StatementList />
        </div>
      </Stack>
    </>
  );
}
