/** Who asked last for what a plain call without a key is answered. */
export interface LastAsker {
  /** How often its client had asked before, as it says itself; 0 for a first attempt. */
  readonly retryCount: number;
  /** Whether they left without the answer; false also where nobody knows, as when their process has died. */
  readonly hasLeft: boolean;
}

/** As it stands in a row; at most 64 characters. */
export function toAskerText({ retryCount, hasLeft }: LastAsker): string {
  return `${retryCount} ${hasLeft ? 'left' : 'there'}`;
}

/** Reads what `toAskerText` wrote. The release before has a hash in that place, of calls whose first caller had left. */
export function parseAsker(text: string): LastAsker {
  const [, count, presence] = /^(\d{1,9}) (left|there)$/.exec(text) ?? ['', '0', 'left'];
  return { retryCount: Number(count), hasLeft: presence === 'left' };
}

/**
 * Which of several equal calls a retry may have: none that a retry of its own count has, or a later one, so that each goes to one
 * client; those whose last asker left before others, and the most often asked for first, since others may still come for the rest.
 * @param retryCount Of who asks now.
 * @returns of equal ones the first; null: there is none.
 */
export function findBestCall<Call extends { readonly asker: LastAsker }>(
  calls: readonly Call[],
  retryCount: number,
): Call | null {
  const fitting = calls.filter(({ asker }) => asker.retryCount < retryCount);
  return fitting.reduce<Call | null>((best, call) => (best === null || isBetter(call, best) ? call : best), null);
}

function isBetter({ asker: one }: { readonly asker: LastAsker }, { asker: other }: { readonly asker: LastAsker }) {
  if (one.hasLeft !== other.hasLeft) return one.hasLeft;
  return one.retryCount > other.retryCount;
}
