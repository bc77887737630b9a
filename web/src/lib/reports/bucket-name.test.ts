import { formatBucket } from './bucket-name';
import { nameDays } from './calendar';

describe('formatBucket', () => {
  it.each(['en-US', 'en-GB', 'en-AU', 'en-IN'])('names the months as the picker does for readers of %s', (locale) => {
    for (let month = 1; month <= 12; month += 1) {
      const day = `2026-${String(month).padStart(2, '0')}-01` as const;
      const [name = ''] = formatBucket(`${day}T00:00:00.000Z`, 'MONTH').split(' ');
      expect(nameDays(day, day, locale).split(/[ ,]+/)).toContain(name);
    }
  });
});
