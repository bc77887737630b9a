/**
 * An answer as its call has it in memory: text, the bytes of it in pieces, or, where it was never put together, what writes it piece
 * by piece, from the beginning each time.
 */
export type WholeAnswer = string | readonly Buffer[] | (() => Iterable<string>);

/** More than any store of answers takes. */
const keptBytesMax = 4 * 1024 * 1024;

/** An answer as one text, to be kept; null: it is too large for that. */
export function toKeptText(answer: WholeAnswer): string | null {
  if (typeof answer === 'string') return answer.length > keptBytesMax ? null : answer;
  // What was never put together was too large for it.
  if (typeof answer === 'function') return null;
  const bytes = answer.reduce((sum, { length }) => sum + length, 0);
  // What is too long to be kept need not be made a text of again.
  return bytes > keptBytesMax ? null : Buffer.concat(answer).toString();
}
