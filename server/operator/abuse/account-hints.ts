/** What of an account may be abuse, as the page of abuse has it; each is a hint, and none a proof. */
export interface AccountHint {
  readonly kind: 'sign_ups_by_network' | 'gifts_by_network' | 'declined_cards' | 'spending_spike' | 'widely_used_key';
  /** In words, for operators. */
  readonly words: string;
}

interface SharedNetwork {
  readonly network: string;
  readonly accounts: number;
}

/** Each is asked of whoever keeps it; null: it does not hold. */
export interface HintReads {
  readonly nowMs: () => number;
  findNetwork(accountId: string, kind: 'signed_up' | 'gift_claimed', sinceMs: number): Promise<SharedNetwork | null>;
  findDeclinedCards(
    accountId: string,
    sinceMs: number,
  ): Promise<{ readonly declined: number; readonly cards: number } | null>;
  findSpike(accountId: string): Promise<{ readonly spent: number; readonly usualDay: number } | null>;
  findWidelyUsedKey(
    accountId: string,
    sinceMs: number,
  ): Promise<{ readonly keyId: string; readonly day: string; readonly networks: number } | null>;
  formatCredits(millicredits: number): string;
}

const weekMs = 7 * 24 * 60 * 60_000;
/** A household has two. */
const accountsMin = 3;

/** Which hints of the last seven days hold for an account now. Each is read within the bounds of the page of abuse. */
export async function findHints(reads: HintReads, accountId: string): Promise<readonly AccountHint[]> {
  const sinceMs = reads.nowMs() - weekMs;
  const [signUps, gifts, cards, spike, key] = await Promise.all([
    reads.findNetwork(accountId, 'signed_up', sinceMs),
    reads.findNetwork(accountId, 'gift_claimed', sinceMs),
    reads.findDeclinedCards(accountId, sinceMs),
    reads.findSpike(accountId),
    reads.findWidelyUsedKey(accountId, sinceMs),
  ]);
  const hints: AccountHint[] = [];
  const add = (kind: AccountHint['kind'], words: string) => hints.push({ kind, words });
  if (signUps && signUps.accounts >= accountsMin)
    add('sign_ups_by_network', `One of ${signUps.accounts} accounts that signed up from ${signUps.network} in a week.`);
  if (gifts && gifts.accounts >= accountsMin)
    add(
      'gifts_by_network',
      `One of ${gifts.accounts} accounts that redeemed gift codes from ${gifts.network} in a week.`,
    );
  if (cards)
    add('declined_cards', `${cards.declined} automatic top-ups failed in a week, of different cards: ${cards.cards}.`);
  if (spike) {
    const [spent, usual] = [spike.spent, spike.usualDay].map((amount) => reads.formatCredits(amount));
    add('spending_spike', `${spent} credits were used in 24 hours, ${usual} on a usual day.`);
  }
  if (key) {
    const networks = key.networks < 50 ? String(key.networks) : '50 or more';
    add('widely_used_key', `The key ${key.keyId} was used from ${networks} networks on ${key.day}.`);
  }
  return hints;
}
