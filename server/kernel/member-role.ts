/** What a person may be in an account, the one who may do most first. What each role opens, each operation says beside itself (`schema/access.ts`). */
export const memberRoles = ['owner', 'admin', 'developer', 'billing', 'viewer'] as const;
export type MemberRole = (typeof memberRoles)[number];
