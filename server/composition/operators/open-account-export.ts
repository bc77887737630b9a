import { AccountEvents } from '../../audit/account-events.js';
import type { Config } from '../../config/config.js';
import { type AccountSources, writeAccountJson } from '../../http/exports/export-account.js';
import type { ApiKeyService } from '../../keys/api-key-service.js';
import { PersonalItems } from '../../saved-items/personal-items.js';
import { SavedItems } from '../../saved-items/saved-items.js';
import { WebhookEndpoints } from '../../webhooks/webhook-endpoints.js';
import { openPeople } from '../open-people.js';
import { openReports } from '../open-reports.js';
import { openAccountLimits } from './open-account-limits.js';
import { openPriceGroups } from './open-price-groups.js';
import { openProgramPurchases } from './open-program-purchases.js';

type ExportParts = Parameters<typeof openPeople>[0] &
  Parameters<typeof openPriceGroups>[0] &
  Parameters<typeof openProgramPurchases>[0] & { readonly keys: ApiKeyService };

/** What the command line reads of an account, all of it, when it is asked to: the file that its owner can download. */
export function openAccountExport(parts: ExportParts, config: Config) {
  const { unitOfWork, clock, keys } = parts;
  const { accounts, sessions, factors, identities, memberships, invitations } = openPeople(parts, config);
  const { calls, statement, refusals, receiptLinks, keyNetworks } = openReports(unitOfWork, null, clock);
  const { service: purchases, alerts, topUpSettings } = openProgramPurchases(parts, config);
  const sources: AccountSources = {
    accounts,
    sessions,
    factors,
    identities,
    memberships,
    invitations,
    keys,
    calls,
    statement,
    refusals,
    receiptLinks,
    keyNetworks,
    purchases,
    alerts,
    topUpSettings,
    // It only reads.
    endpoints: new WebhookEndpoints({ unitOfWork, clock, isProduction: config.isProduction, onChange: () => {} }),
    accountPrices: openPriceGroups(parts, config).accountPrices,
    accountLimits: openAccountLimits(parts, config).accountLimits,
    events: new AccountEvents(unitOfWork),
    savedItems: new SavedItems(unitOfWork, clock),
    personalItems: new PersonalItems(unitOfWork, clock),
  };
  return (accountId: string) => writeAccountJson(sources, accountId, clock.nowMs());
}
