/** What a person may be in an account, the one who may do most first. What each role opens stands in `graphql/operation-roles.ts`. */
export const memberRoles = ['owner', 'admin', 'developer', 'billing', 'viewer'] as const;
export type MemberRole = (typeof memberRoles)[number];
