import { type KeyPermissions, type KeyScope, keyScopes } from '../kernel/api-key.js';
import { type MemberRole, memberRoles } from '../kernel/member-role.js';
import { requirePersonMay } from '../keys/acting-person.js';
import type { Access } from '../schema/access.js';
import { listDeclaredAccess } from '../test/declared-access.js';
import { buildGraphqlSchema } from './graphql-schema.js';
import { resolverClasses } from './resolvers.js';

const declared = listDeclaredAccess(buildGraphqlSchema(resolverClasses, new Map()));

/** Whether a member with this role may make a key with this scope. */
function mayGive(role: MemberRole, scope: KeyScope): boolean {
  const makers = declared.createApiKey?.members as readonly MemberRole[];
  if (!makers.includes(role)) return false;
  try {
    requirePersonMay({ personId: 'acct_1', role }, null, { scopes: [scope] } as unknown as KeyPermissions);
    return true;
  } catch {
    return false;
  }
}

const givenBy = memberRoles.map((role) => [role, keyScopes.filter((scope) => mayGive(role, scope))] as const);

function opensTo({ keys }: Access, scopes: readonly KeyScope[]): boolean {
  if (typeof keys !== 'string') return keys.some((scope) => scopes.includes(scope));
  return keys === 'any' && scopes.length > 0;
}

function isOpenTo({ members }: Access, role: MemberRole): boolean {
  return members === 'person' || (members === 'own account' ? role === 'owner' : members.includes(role));
}

describe('A key of one’s own', () => {
  it('can have the scopes that its maker’s role gives', () => {
    expect(Object.fromEntries(givenBy)).toEqual({
      owner: [...keyScopes],
      admin: [...keyScopes],
      developer: ['chat', 'usage:read'],
      billing: [],
      viewer: [],
    });
  });

  it.each(Object.entries(declared))('opens %s to nobody whose role does not', (_, access) => {
    const beyondTheirRole = givenBy.filter(([role, scopes]) => opensTo(access, scopes) && !isOpenTo(access, role));
    expect(beyondTheirRole.map(([role]) => role)).toEqual([]);
  });
});
