import { Stack } from '@mantine/core';
import { PageHeader } from '../../components/page-header';
import { ProofPage } from '../../features/proof/proof-page';
import { PurchaseList } from '../../features/purchases/purchase-list';
import { StatementList } from '../../features/statement/statement-list';
import { pageHeadings } from '../page-headings';

/** /proof */
export default function ProofRoute() {
  return (
    <>
      <PageHeader {...pageHeadings.proof} />
      <Stack gap="lg">
        <ProofPage />
        <StatementList />
        <PurchaseList />
      </Stack>
    </>
  );
}
