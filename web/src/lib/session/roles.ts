import type { MemberRole } from '../../gql/graphql';

/** What a member is called. */
export const roleWords: Readonly<Record<MemberRole, string>> = {
  OWNER: 'owner',
  ADMIN: 'admin',
  DEVELOPER: 'developer',
  BILLING: 'billing',
  VIEWER: 'viewer',
};

/** What each may do, in a sentence. */
export const roleSentences: Readonly<Record<MemberRole, string>> = {
  OWNER: 'Full access, including choosing other owners.',
  ADMIN: 'Full access, except managing owners.',
  DEVELOPER: 'Can view everything, use the playground and create keys for calls.',
  BILLING: 'Can view everything and buy credits.',
  VIEWER: 'Can view the balance, calls, usage and statement.',
};

/** What the dashboard offers to some roles only; the server has the last word. */
export type RoleAction = 'build' | 'pay' | 'manage';

const rolesOf: Readonly<Record<RoleAction, readonly MemberRole[]>> = {
  build: ['OWNER', 'ADMIN', 'DEVELOPER'],
  pay: ['OWNER', 'ADMIN', 'BILLING'],
  manage: ['OWNER', 'ADMIN'],
};

/** Whether a role may do something. @param role null: not known yet, or not of a person; then nothing is withheld. */
export function mayDo(role: MemberRole | null, action: RoleAction): boolean {
  return role === null || rolesOf[action].includes(role);
}

/** Why something is not offered, and who can help. @param what such as "To buy credits" */
export function whyNot(role: MemberRole, action: RoleAction, what: string): string {
  const names = rolesOf[action].map((one) => roleWords[one]);
  const list = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
  return `${what}, you need the role ${list}. Your role here is ${roleWords[role]}. Ask an owner.`;
}
