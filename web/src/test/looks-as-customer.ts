import { findTabStorage } from '../lib/browser-storage';

/** Imported before anything else: the page reads it once, when it loads. */
const view = { id: 'cview_1', accountId: 'acct_1', email: 'ada@example.com' };
findTabStorage()?.setItem('tollgate.customer-view', JSON.stringify(view));
