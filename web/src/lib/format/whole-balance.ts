import { toMillicredits } from './format-credits';

/** What an account has, in credits: also what running calls have reserved, since most of that comes back. */
export function wholeBalance({ available, held }: { readonly available: number; readonly held: number }): number {
  return Number(toMillicredits(available) + toMillicredits(held)) / 1_000;
}
