import type { Proof } from '../schema/access.js';
import { type GraphqlContext, requireFreshProof } from '../schema/graphql-context.js';

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
 * @throws AppError `fresh_factor_required` as `requireFreshProof` does, when this proof is asked for before the operation begins.
 */
export async function requireProof(
  proof: Proof | undefined,
  args: Readonly<Record<string, unknown>>,
  context: GraphqlContext,
): Promise<void> {
  if (proof === undefined) return;
  if (typeof proof === 'object' && ('isAskedInside' in proof || !proof.isAskedFor(args))) return;
  await requireFreshProof(context, proof !== 'with a factor');
}
