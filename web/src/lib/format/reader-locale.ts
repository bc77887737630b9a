/**
 * The language and region that the reader's browser is set to, for dates and times; the texts themselves are in English.
 * `en-GB` where there is no browser.
 */
export function readerLocale(): string {
  return typeof window === 'undefined' ? 'en-GB' : window.navigator.language;
}

/** The reader's time zone by its name: `Europe/Berlin`. */
export function readerZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
