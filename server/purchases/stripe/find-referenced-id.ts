/**
 * The id of another object that one of Stripe's names: as its id alone, or, where it was expanded, as that object. null: it names none.
 */
export function findReferencedId(reference: unknown): string | null {
  if (typeof reference === 'string') return reference;
  if (typeof reference !== 'object' || reference === null || !('id' in reference)) return null;
  return typeof reference.id === 'string' ? reference.id : null;
}
