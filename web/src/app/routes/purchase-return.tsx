import { useSearchParams } from 'react-router';
import { PurchaseReturn } from '../../features/purchases/purchase-return';
import { CenteredPage } from '../centered-page';

/** /purchases/return?purchase=… */
export default function PurchaseReturnRoute() {
  const [search] = useSearchParams();
  return (
    <CenteredPage>
      <PurchaseReturn purchaseId={search.get('purchase') ?? ''} />
    </CenteredPage>
  );
}
