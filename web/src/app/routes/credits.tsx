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
import { goToPart } from '../go-to-part';
import { pageHeadings } from '../page-headings';
import { paths } from '../paths';

const parts = [
  { id: 'purchases', title: 'Purchases' },
  { id: 'statement', title: 'Statement' },
] as const;

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
            {parts.map(({ id, title }) => (
              <Button key={id} component="a" href={`#${id}`} variant="default" onClick={(event) => goToPart(event, id)}>
                {title}
              </Button>
            ))}
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
