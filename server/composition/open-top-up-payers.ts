import { findPeople } from '../accounts/find-accounts.js';
import { findRole, listRows } from '../members/membership-rows.js';
import { payers } from '../schema/access.js';
import { TopUpPayers, type TopUpPayersParts } from '../top-ups/top-up-payers.js';

/** Whose cards automatic top-ups charge: a person with a role that may pay, in an account that both are asked about. */
export function openTopUpPayers({
  outbox,
  clock,
  publicUrl,
}: Pick<TopUpPayersParts, 'outbox' | 'clock' | 'publicUrl'>): TopUpPayers {
  return new TopUpPayers({
    ...{ outbox, clock, publicUrl },
    async mayPay(transaction, of) {
      const [person] = await findPeople(transaction, [of.personId]);
      const role = person ? await findRole(transaction, of) : null;
      return role !== null && payers.includes(role);
    },
    async listPayers(reader, accountId) {
      const members = await listRows(reader, accountId);
      return members.filter(({ role }) => payers.includes(role)).map(({ personId }) => personId);
    },
    async findPerson(transaction, accountId) {
      const [person] = await findPeople(transaction, [accountId]);
      if (!person) return null;
      return { name: person.name, verifiedEmail: person.emailVerifiedAtMs === null ? null : person.email };
    },
  });
}
