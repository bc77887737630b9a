const usualLocale = 'en-GB';

/**
 * The language and region that the reader's browser is set to, for dates and times; the texts themselves are in English.
 * `en-GB` where there is no browser, or where it names none that exists: some systems hand on `en-US@posix`, or nothing.
 */
export function readerLocale(): string {
  if (typeof window === 'undefined') return usualLocale;
  return isPossible(() => new Intl.Locale(window.navigator.language)) ? window.navigator.language : usualLocale;
}

/**
 * Gives each short month of English three letters, as on the axes of charts: Britain writes Sept, and Australia June and July as well.
 */
export function shortenMonth(text: string): string {
  return text.replaceAll(/\b(Jun|Jul|Sep)[eyt]\b/g, '$1');
}

/** The reader's time zone by its name: `Europe/Berlin`; `UTC` where the browser does not know it. */
export function readerZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  // In the reader's own language: the patterns of another one take a telephone 60 ms to read.
  return timeZone && isPossible(() => new Intl.DateTimeFormat(readerLocale(), { timeZone })) ? timeZone : 'UTC';
}

function isPossible(make: () => unknown): boolean {
  try {
    make();
    return true;
  } catch {
    return false;
  }
}
