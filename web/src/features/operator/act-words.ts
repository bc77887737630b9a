/** What is to be said of an act: a sentence, or a link, a token or codes that are shown this once and held until they are saved. */
export type ActWords = { readonly said: string } | { readonly shownOnce: string };

export function say(said: string): ActWords {
  return { said };
}

/** @returns null where there is nothing to show. */
export function showOnce(secret: string | null | undefined): ActWords | null {
  return secret ? { shownOnce: secret } : null;
}
