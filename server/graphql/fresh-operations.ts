import type { GraphqlContext } from './graphql-context.js';

/**
 * When an operation asks a session for a fresh proof of who is there: always; only where the account has a factor, since the
 * operation takes the password itself; or when its arguments ask for something dangerous.
 */
export type FreshAsking = 'always' | 'with a factor' | ((args: Readonly<Record<string, unknown>>) => boolean);

/** The dangerous operations. What keys may do stands in `operation-access.ts`; they are asked for no proof. */
export const freshOperations: Readonly<Record<string, FreshAsking>> = {
  changePassword: 'with a factor',
  createApiKey: asksForWriteScope,
  deleteAccount: 'with a factor',
  inviteMember: 'always',
  openBillingPortal: 'always',
  removeAuthenticatorApp: 'always',
  removeMember: 'always',
  removePasskey: 'always',
  renewRecoveryCodes: 'always',
  setMemberBudget: 'always',
  setMemberRole: 'always',
  startAuthenticatorApp: 'always',
  startPasskey: 'always',
  startCardSetup: 'always',
  startIdentityLink: 'always',
  unlinkIdentity: 'always',
  transferOwnership: 'always',
  updateApiKey: asksForWriteScope,
};

/** What the description of an operation says of it; null: nothing is asked for. */
export function describeFreshness(operation: string): string | null {
  const asking = freshOperations[operation];
  if (asking === undefined) return null;
  const when = {
    always: 'Asks',
    'with a factor': 'Where the account has a second factor, asks',
    arguments: 'For scopes that write, asks',
  }[typeof asking === 'string' ? asking : 'arguments'];
  return `${when} for a proof of the last ten minutes: \`fresh_factor_required\` until \`proveFactor\`.`;
}

/**
 * For what a table cannot tell, too, such as a dangerous field of an input.
 * @throws AppError `fresh_factor_required` as `FreshFactors.require` says. A key passes, and so does nobody, whom others refuse.
 */
export async function requireFreshFactor(context: GraphqlContext, { isAskedOfAll = true } = {}): Promise<void> {
  const { viewer } = context;
  if (viewer === null || viewer.sessionId === null) return;
  const { accountId: ownId, personId, sessionId } = viewer;
  // Whatever account the session acts for, it is the person who proves to be there.
  const accountId = personId ?? ownId;
  await context.requireFresh({ accountId, sessionId }, { isByCookie: context.isSignedInByCookie, isAskedOfAll });
}

/** @throws as `requireFreshFactor` does, when the table asks for it. */
export async function requireFreshness(
  operation: string,
  args: Readonly<Record<string, unknown>>,
  context: GraphqlContext,
): Promise<void> {
  const asking = freshOperations[operation];
  if (asking === undefined || (typeof asking === 'function' && !asking(args))) return;
  await requireFreshFactor(context, { isAskedOfAll: asking !== 'with a factor' });
}

function asksForWriteScope({ input }: Readonly<Record<string, unknown>>): boolean {
  const { scopes } = (input ?? {}) as { readonly scopes?: readonly string[] | null };
  return scopes?.some((scope) => scope.endsWith(':write')) ?? false;
}
