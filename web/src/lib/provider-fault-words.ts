const words: Readonly<Record<string, string>> = {
  declined: 'You did not let the provider say who you are. Try again, or go another way.',
  away: 'The provider does not answer at the moment. Try again in a minute, or go another way.',
  refused: 'The provider’s answer could not be believed. Try again; if it stays so, tell whoever runs this server.',
  over: 'This took longer than 10 minutes, was finished already, or began in another browser. Begin again.',
  too_many: 'Too many sign-ins were begun from your network. Try again in a quarter of an hour.',
};

/** What to tell whom a provider has sent back, by the word that the server puts into the address; null: nothing went wrong. */
export function providerFaultWords(fault: string | null): string | null {
  return fault === null ? null : ((Object.hasOwn(words, fault) ? words[fault] : null) ?? words.refused ?? null);
}
