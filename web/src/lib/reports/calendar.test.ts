import {
  addDays,
  addMonths,
  describeDayStart,
  isDay,
  monthBefore,
  nameDay,
  nameDays,
  nameHours,
  nameMonth,
  nameWeekdays,
  startOfWeek,
  weekStartOf,
  weeksOf,
} from './calendar';

describe('a day', () => {
  it('is one that exists', () => {
    expect(['2026-02-28', '2024-02-29'].filter(isDay)).toEqual(['2026-02-28', '2024-02-29']);
    expect(['2026-02-29', '2026-2-3', '2026-13-01', '', 'today'].filter(isDay)).toEqual([]);
  });

  it('moves over the ends of months and years, and stays in the month that was asked for', () => {
    expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
    expect(addDays('2028-03-01', -1)).toBe('2028-02-29');
    expect(addMonths('2026-01-31', 1)).toBe('2026-02-28');
    expect(addMonths('2028-01-31', 1)).toBe('2028-02-29');
    expect(addMonths('2028-02-29', 12)).toBe('2029-02-28');
    expect(addMonths('2026-01-15', -1)).toBe('2025-12-15');
  });
});

describe('a month', () => {
  it.each([1, 6, 7])('is laid out in whole weeks that begin with day %i, each day once', (weekStart) => {
    for (let month = '2023-12-15'; month < '2026-12-31'; month = addMonths(month, 1)) {
      const weeks = weeksOf(month, weekStart);
      const days = weeks.flat();
      expect(weeks.every((week) => startOfWeek(week[0] ?? '', weekStart) === week[0])).toBe(true);
      expect(days).toEqual([...new Set(days)].sort());
      const own = days.filter((day) => day.startsWith(month.slice(0, 7)));
      expect([own[0]?.slice(8), addDays(own.at(-1) ?? '', 1).slice(8)]).toEqual(['01', '01']);
    }
  });

  it('is called as where the reader is', () => {
    expect(nameMonth('2026-11-03', 'de-DE')).toBe('November 2026');
    expect(nameWeekdays(1, 'en-GB').map(({ long }) => long)[0]).toBe('Monday');
    expect(nameWeekdays(7, 'de-DE').map(({ short }) => short)[0]).toBe('So');
    expect(nameDays('2026-11-01', '2026-11-03', 'de-DE')).toBe('01.–03.11.2026 UTC');
    expect([1, 7]).toContain(weekStartOf('en-US'));
    const hours = nameHours(Date.UTC(2026, 10, 3, 14), Date.UTC(2026, 10, 3, 15), 'de-DE');
    expect(hours.replaceAll(/\s/g, ' ')).toBe('03.11.2026, 14:00–15:00 Uhr UTC');
  });
});

describe('a day of a reader with another calendar', () => {
  it.each(['fa-IR', 'th-TH', 'ar-SA'])(
    'is named, in %s, by the calendar of the grid that it stands above',
    (locale) => {
      const year = new Intl.NumberFormat(locale, { useGrouping: false }).format(2026);
      expect(nameMonth('2026-11-03', locale)).toContain(year);
      expect(nameDay('2026-11-03', locale)).toContain(year);
      expect(nameDays('2026-11-01', '2026-11-03', locale)).toContain(year);
    },
  );
});

describe('the beginning of a billing day', () => {
  it('is told in UTC and, where that is another time, in the zone of the reader', () => {
    expect(describeDayStart('2026-11-03', 'en-GB', 'UTC')).toBe('00:00 UTC');
    expect(describeDayStart('2026-11-03', 'en-GB', 'Asia/Kolkata')).toBe(
      '00:00 UTC, which is 05:30 in your time zone (Asia/Kolkata)',
    );
    expect(describeDayStart('2026-07-03', 'en-GB', 'Europe/Berlin')).toContain('02:00');
  });

  it.each([
    ['Europe/Berlin', '2026-10-25', '02:00 in'],
    ['Europe/Berlin', '2026-10-26', '01:00 in'],
    ['America/Santiago', '2026-04-05', '21:00 the day before'],
    ['America/Santiago', '2026-04-06', '20:00 the day before'],
    ['Australia/Lord_Howe', '2026-04-04', '11:00 in'],
    ['Australia/Lord_Howe', '2026-04-05', '10:30 in'],
    ['Asia/Kathmandu', '2028-02-29', '05:45 in'],
    ['America/New_York', '2026-11-01', '20:00 the day before'],
    ['America/New_York', '2026-11-02', '19:00 the day before'],
  ])('is the right one about the days on which clocks are set: in %s, %s begins at %s', (zone, day, words) => {
    expect(describeDayStart(day, 'en-GB', zone)).toContain(`which is ${words}`);
  });

  it.each(['America/St_Johns', 'Pacific/Pago_Pago'])(
    'is told to be on the day before west of UTC, as in %s',
    (zone) => {
      expect(describeDayStart('2026-11-03', 'en-GB', zone)).toMatch(/ \d\d:\d\d the day before in your time zone/);
      expect(describeDayStart('2026-11-03', 'en-GB', 'Atlantic/Reykjavik')).not.toContain('the day before');
    },
  );
});

describe('the month before that of a day', () => {
  it.each([
    ['2026-11-30', '2026-10-01', '2026-10-31'],
    ['2026-03-31', '2026-02-01', '2026-02-28'],
    ['2028-03-01', '2028-02-01', '2028-02-29'],
    ['2026-01-01', '2025-12-01', '2025-12-31'],
  ])('is a whole one: before %s it is %s to %s', (day, first, last) => {
    expect(monthBefore(day)).toEqual({ first, last });
  });
});
