import { useParams } from 'react-router';
import { SimulatedCheckout } from '../../features/purchases/simulated-checkout';
import { CenteredPage } from '../centered-page';

/** /checkout/simulated/:purchaseId */
export default function SimulatedCheckoutRoute() {
  const { purchaseId = '' } = useParams();
  return (
    <CenteredPage>
      <SimulatedCheckout purchaseId={purchaseId} />
    </CenteredPage>
  );
}
