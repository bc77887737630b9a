import { SharedReceipt } from '../../features/requests/shared-receipt';

/** /receipt#token; whoever opens it need not be signed in. */
export default function SharedReceiptRoute() {
  return <SharedReceipt />;
}
