import { registerEnumType } from 'type-graphql';
import type { MemberRole } from '../kernel/member-role.js';

/** The names on the wire stand on the left. */
export const memberRoleNames = {
  OWNER: 'owner',
  ADMIN: 'admin',
  DEVELOPER: 'developer',
  BILLING: 'billing',
  VIEWER: 'viewer',
} as const satisfies Record<string, MemberRole>;
registerEnumType(memberRoleNames, {
  name: 'MemberRole',
  description:
    'What a person may do in an account. Each operation of this schema that takes more than being a member says which roles.',
  valuesConfig: {
    OWNER: { description: 'Everything, and who else is an owner.' },
    ADMIN: { description: 'Everything but what has to do with owners.' },
    DEVELOPER: { description: 'Reads; calls the playground; makes and changes keys of their own that call and read.' },
    BILLING: { description: 'Reads, and buys credits.' },
    VIEWER: { description: 'Reads: balance, calls, use, keys without their secrets, statement.' },
  },
});
