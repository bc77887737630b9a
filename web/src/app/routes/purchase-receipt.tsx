import { useParams } from 'react-router';
import { PageHeader } from '../../components/page-header';
import { PurchaseReceipt } from '../../features/purchases/purchase-receipt';
import { pageHeadings } from '../page-headings';

/** /purchases/pur_…/receipt */
export default function PurchaseReceiptRoute() {
  const { purchaseId = '' } = useParams();
  return (
    <>
      <PageHeader {...pageHeadings.purchaseReceipt} />
      <PurchaseReceipt purchaseId={purchaseId} />
    </>
  );
}
