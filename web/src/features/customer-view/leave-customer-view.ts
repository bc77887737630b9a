import { paths } from '../../app/paths';
import { type CustomerView, forgetCustomerView } from '../../lib/session/customer-view';

/** Leads this tab back to the console's page of the account. */
export function leaveCustomerView({ accountId }: CustomerView): void {
  forgetCustomerView();
  // A whole new page: nothing of the customer stays in memory.
  window.location.assign(paths.operatorAccount(accountId));
}
