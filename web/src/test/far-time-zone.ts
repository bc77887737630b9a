/*
 * Imported first, it has the reader live fourteen hours before UTC: what is told in their own time is another day there for most of
 * each day in UTC.
 */
const farZone = 'Pacific/Kiritimati';
const OfReader = Intl.DateTimeFormat;

class FarFormat extends OfReader {
  constructor(locale?: string | string[], options?: Intl.DateTimeFormatOptions) {
    super(locale, { timeZone: farZone, ...options });
  }
}

Object.assign(Intl, { DateTimeFormat: FarFormat });
