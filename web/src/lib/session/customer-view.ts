import { findTabStorage } from '../browser-storage';

const storageKey = 'tollgate.customer-view';

/** An operator's look at an account as its customer sees it. */
export interface CustomerView {
  readonly id: string;
  readonly accountId: string;
  /** Of the customer. */
  readonly email: string;
}

/*
 * A look belongs to one tab, so that the browser's other tabs stay whose they are. It holds until the tab loads another page: no
 * request of this one is ever sent without its header, which would be asked by the session of whoever else is signed in here.
 */

/** The look that this tab takes; null: it shows the pages of whoever is signed in. */
export const customerView: CustomerView | null = readKept();

/** What tells the server so. Each request of the dashboard carries it. */
export const customerViewHeaders: Readonly<Record<string, string>> = customerView
  ? { 'tollgate-view': customerView.id }
  : {};

/** Has the next page of this tab show what the customer sees; load one right afterwards. @throws where nothing may be stored. */
export function keepCustomerView(view: CustomerView): void {
  const tab = findTabStorage();
  if (tab === null)
    throw new Error('This browser cannot store data, so the customer view would not work on other pages of this tab.');
  // Drafts of what this tab showed before.
  tab.clear();
  tab.setItem(storageKey, JSON.stringify(view));
}

/** Has the next page of this tab be the operator's again; load one right afterwards. */
export function forgetCustomerView(): void {
  findTabStorage()?.clear();
}

function readKept(): CustomerView | null {
  try {
    const kept = findTabStorage()?.getItem(storageKey) ?? null;
    return kept === null ? null : (JSON.parse(kept) as CustomerView);
  } catch {
    return null;
  }
}
