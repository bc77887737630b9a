import { useParams } from 'react-router';
import { PageHeader } from '../../components/page-header';
import { PurchaseReceipt } from '../../features/purchases/purchase-receipt';

/** /purchases/pur_…/receipt */
export default function PurchaseReceiptRoute() {
  const { purchaseId = '' } = useParams();
  return (
    <>
      <PageHeader title="Receipt" description="Of credits that were bought." />
      <PurchaseReceipt purchaseId={purchaseId} />
    </>
  );
}
