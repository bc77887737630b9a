/** @jest-environment jsdom */
import type * as FormatTime from '../format/format-time';
import type * as KeySentence from '../key-sentence';
import type * as BucketName from './bucket-name';

afterEach(() => setLanguage('en-US'));

function setLanguage(language: string): void {
  Object.defineProperty(window.navigator, 'language', { value: language, configurable: true });
}

const key = {
  ...{ scopes: ['CHAT'], models: null, providers: null, spendLimit: null, spendPeriod: 'MONTH', addresses: null },
  ...{ requestsPerMinute: null, tokensPerMinute: null, expiresAt: '2026-11-23T00:00:00.000Z' },
} as unknown as KeySentence.KeyPermissions;

describe('the days of charts, tables and sentences', () => {
  it.each([
    ['en-US', true, 'Nov 23', 'Nov 23, 14:00 UTC (Nov 23, 23:00 in your time zone)'],
    ['en-GB', false, '23 Nov', '23 Nov, 14:00 UTC (23 Nov, 23:00 in your time zone)'],
    ['de-AT', false, '23 Nov', '23 Nov, 14:00 UTC (23 Nov, 23:00 in your time zone)'],
    ['ja-JP', true, 'Nov 23', 'Nov 23, 14:00 UTC (Nov 23, 23:00 in your time zone)'],
  ])('of a reader of %s have one order: month first is %s', (language, isMonthFirst, axis, hour) => {
    setLanguage(language);
    jest.isolateModules(() => {
      const { formatBucket, bucketNamer } = require('./bucket-name') as typeof BucketName;
      const { formatDay } = require('../format/format-time') as typeof FormatTime;
      const { keySentence } = require('../key-sentence') as typeof KeySentence;
      expect(formatBucket('2026-11-23T00:00:00.000Z', 'DAY')).toBe(axis);
      expect(bucketNamer('HOUR', 'Asia/Tokyo')('2026-11-23T14:00:00.000Z')).toBe(hour);
      for (const words of [formatDay('2026-11-23T12:00:00.000Z'), keySentence(key)]) {
        expect(/(nov|11).*23/i.test(words)).toBe(isMonthFirst);
      }
    });
  });
});
