import { formatUtcDay } from '../format/format-time';
import { formatBucket } from './bucket-name';

describe('formatBucket', () => {
  it('names the months as every date does', () => {
    for (let month = 1; month <= 12; month += 1) {
      const day = `2026-${String(month).padStart(2, '0')}-01` as const;
      const [name = ''] = formatBucket(`${day}T00:00:00.000Z`, 'MONTH').split(' ');
      expect(formatUtcDay(day)).toBe(`1 ${name} 2026`);
    }
  });
});
