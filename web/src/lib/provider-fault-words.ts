const words: Readonly<Record<string, string>> = {
  declined: 'You did not allow the provider to sign you in. Try again, or use another way.',
  away: 'The provider is not responding. Try again in a minute, or use another way.',
  refused:
    'The provider’s answer could not be verified. Try again. If this continues, contact the operator of this server.',
  over: 'This took longer than 10 minutes, was already finished, or was started in another browser. Start again.',
  too_many: 'Too many sign-ins were started from your network. Try again in a quarter of an hour.',
};

/** What to tell whom a provider has sent back, by the word that the server puts into the address; null: nothing went wrong. */
export function providerFaultWords(fault: string | null): string | null {
  return fault === null ? null : ((Object.hasOwn(words, fault) ? words[fault] : null) ?? words.refused ?? null);
}
