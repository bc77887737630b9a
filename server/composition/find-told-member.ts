import type { AccountService } from '../accounts/account-service.js';
import type { BalanceAlerts } from '../alerts/balance-alerts.js';
import type { ToldMember } from '../alerts/decide-alerts.js';
import type { Memberships } from '../members/memberships.js';

/** Who knows people, and what they are in accounts. */
export interface ToldPeople {
  readonly accounts: Pick<AccountService, 'findVerifiedEmail'>;
  readonly memberships: Pick<Memberships, 'findPerson' | 'findRole'>;
}

/** A member, as they are told of their budget. Whoever has gone is told nothing more, and the account goes by its owner's address. */
export async function findToldMember(
  { accounts, alerts, memberships }: ToldPeople & { readonly alerts: Pick<BalanceAlerts, 'find'> },
  { accountId, personId }: { readonly accountId: string; readonly personId: string },
): Promise<ToldMember> {
  const accountName = (await memberships.findPerson(accountId))?.name ?? '';
  const isMember = (await memberships.findRole({ accountId, personId })) !== null;
  const person = isMember ? await memberships.findPerson(personId) : null;
  const { isUseTold, isByEmail } = await alerts.find(accountId);
  const isMailed = person !== null && personId !== accountId && isUseTold === true && isByEmail;
  const email = isMailed ? await accounts.findVerifiedEmail(personId) : null;
  return { name: person?.name ?? null, accountName, email };
}
