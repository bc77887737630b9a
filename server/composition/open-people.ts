import { openIdentities } from '../accounts/identities/open-identities.js';
import { type AccountsParts, openAccounts } from '../accounts/open-accounts.js';
import type { Config } from '../config/config.js';
import { isRecoveryLink } from '../factors/factor-recovery.js';
import { type AccountsOfFactors, type OpenFactorsParts, openFactors } from '../factors/open-factors.js';
import { isId } from '../kernel/ids.js';
import { Invitations, type InvitationsParts } from '../members/invitations.js';
import { MemberBudgets } from '../members/member-budgets.js';
import { Memberships, type MembershipsParts } from '../members/memberships.js';
import type { NoticeSources } from '../notices/open-notices.js';
import { openTopUpPayers } from './open-top-up-payers.js';

type PeopleParts = Omit<AccountsParts, 'factors' | 'members'> &
  Omit<MembershipsParts, 'payers'> &
  Omit<InvitationsParts, 'publicUrl'> &
  Pick<OpenFactorsParts, 'findBelievedMs'>;

/** Who signs up and in, by what they prove it, and for whose accounts they act. */
export function openPeople(parts: PeopleParts, config: Config) {
  const factors = openFactors(parts, config, (): AccountsOfFactors => people);
  const payers = openTopUpPayers({ ...parts, publicUrl: config.publicUrl });
  const memberships = new Memberships({ ...parts, payers });
  const proving = { ...parts, factors: factors.secondFactors };
  const people = openAccounts({ ...proving, members: memberships }, config);
  const { notices, pendingProofs } = factors;
  const identities = openIdentities({ ...proving, accounts: people.accounts, notices, pendingProofs }, config);
  const invitations = new Invitations({ ...parts, publicUrl: config.publicUrl });
  // Of a mail that is about to leave.
  const createLink: NoticeSources['createLink'] = (linkId) => {
    if (isId('invitation', linkId)) return invitations.createLink(linkId);
    return (isRecoveryLink(linkId) ? factors.recovery : people).createLink(linkId);
  };
  return {
    ...people,
    ...factors,
    ...identities,
    factorRecovery: factors.recovery,
    memberships,
    memberBudgets: new MemberBudgets(parts),
    invitations,
    createLink,
  };
}
