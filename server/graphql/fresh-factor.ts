import type { Proof } from '../schema/access.js';
import type { GraphqlContext } from '../schema/graphql-context.js';

/** What the description of an operation says of its proof; null: nothing is asked for. */
export function describeProof(proof: Proof | undefined): string | null {
  if (proof === undefined) return null;
  const when = {
    always: 'Asks',
    'with a factor': 'Where the account has a second factor, asks',
  };
  const words = typeof proof === 'string' ? when[proof] : `${proof.words}, asks`;
  return `${words} for a proof of the last ten minutes: \`fresh_factor_required\` until \`proveFactor\`.`;
}

/**
 * @throws AppError `fresh_factor_required` as `FreshFactors.require` says, when this proof is asked for. A key passes, and so does
 *   nobody, whom others refuse.
 */
export async function requireProof(
  proof: Proof | undefined,
  args: Readonly<Record<string, unknown>>,
  { viewer, isSignedInByCookie, requireFresh }: GraphqlContext,
): Promise<void> {
  if (proof === undefined || (typeof proof === 'object' && !proof.isAskedFor(args))) return;
  if (viewer === null || viewer.sessionId === null) return;
  const { accountId: ownId, personId, sessionId } = viewer;
  // Whatever account the session acts for, it is the person who proves to be there.
  const accountId = personId ?? ownId;
  const rule = { isByCookie: isSignedInByCookie, isAskedOfAll: proof !== 'with a factor' };
  await requireFresh({ accountId, sessionId }, rule);
}
