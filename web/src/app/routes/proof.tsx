import { Stack } from '@mantine/core';
import { PageHeader } from '../../components/page-header';
import { ProofPage } from '../../features/proof/proof-page';
import { PurchaseList } from '../../features/purchases/purchase-list';
import { StatementList } from '../../features/statement/statement-list';

/** /proof */
export default function ProofRoute() {
  return (
    <>
      <PageHeader
        title="Proof"
        description="Credits in are what was used, is reserved, and is left. Check it yourself."
      />
      <Stack gap="lg">
        <ProofPage />
        <StatementList />
        <PurchaseList />
      </Stack>
    </>
  );
}
