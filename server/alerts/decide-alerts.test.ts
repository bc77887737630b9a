import { decideBalanceAlert, decideBudgetAlert, decideSpikeAlert } from './decide-alerts.js';

const nowMs = Date.UTC(2026, 10, 18, 12, 30);
const hourMs = 3_600_000;
const thisHourMs = nowMs - (nowMs % hourMs);
const key = { keyId: 'key_1', name: 'Laptop', limitMillicredits: 1_000, period: 'day' } as const;

describe('A budget alert', () => {
  it.each([
    [499, null],
    [500, 50],
    [799, 50],
    [800, 80],
    [999, 80],
    [1_000, 100],
    [5_000, 100],
  ])('of %i spent of 1,000 is about %s %%', (spent, percent) => {
    expect(decideBudgetAlert(key, spent, nowMs)?.event.percent ?? null).toBe(percent);
  });

  it('is another one in the next period and for another budget, and the same otherwise', () => {
    const subjectOf = (change: object, atMs = nowMs) => decideBudgetAlert({ ...key, ...change }, 900, atMs)?.subject;
    expect(subjectOf({}, nowMs + hourMs)).toBe(subjectOf({}));
    expect(subjectOf({}, nowMs + 24 * hourMs)).not.toBe(subjectOf({}));
    expect(subjectOf({ limitMillicredits: 1_100 })).not.toBe(subjectOf({}));
    expect(`${subjectOf({ limitMillicredits: 9_000_000_000_000_000 }) ?? ''}`.length).toBeLessThan(180);
  });

  it('counts exactly where a floating point would not', () => {
    const huge = { ...key, limitMillicredits: 8_999_999_999_999_999 };
    expect(decideBudgetAlert(huge, 8_999_999_999_999_998, nowMs)?.event.percent).toBe(80);
    expect(decideBudgetAlert(huge, 8_999_999_999_999_999, nowMs)?.event.percent).toBe(100);
  });
});

describe('A balance alert', () => {
  const decide = (gone: number, walletSeq = 7, filled = 1_000_000) =>
    decideBalanceAlert('acct_1', { walletSeq, balanceMillicredits: filled, usedMillicredits: gone });

  it.each([
    [499_999, null],
    [500_000, 50],
    [800_000, 80],
    [999_999, 80],
    [1_000_000, 100],
    [1_200_000, 100],
  ])('with %i of 1,000,000 gone is about %s %%', (gone, percent) => {
    expect(decide(gone)?.event.percent ?? null).toBe(percent);
  });

  it('says of what, and is another one for the next filling alone', () => {
    expect(decide(800_000)).toMatchObject({
      title: '80 % of the 1,000 credits after your last top-up or gift were used',
      event: { type: 'balance.used', usedCredits: 800, filledCredits: 1_000, leftCredits: 200 },
    });
    expect(decide(800_000)?.subject).toBe(decide(900_000)?.subject);
    expect(decide(800_000, 8)?.subject).not.toBe(decide(800_000)?.subject);
    expect(decide(1_200_000)?.event.leftCredits).toBe(0);
  });
});

describe('A spike alert', () => {
  const week = (usual: number, spent: number, hours = 30) =>
    new Map([
      [thisHourMs, spent],
      ...Array.from({ length: hours }, (_, at) => [thisHourMs - (at + 1) * hourMs, usual] as const),
    ]);
  const decide = (hours: ReadonlyMap<number, number>) => decideSpikeAlert('acct_1', hours, nowMs);

  it('is for an hour of five times the usual that costs a dollar and more', () => {
    expect(decide(week(300_000, 1_500_000))?.event).toMatchObject({ spentCredits: 1_500, usualCredits: 300 });
    expect(decide(week(300_001, 1_500_000))).toBeNull();
    expect(decide(week(100, 999_999))).toBeNull();
  });

  it('is not for what has no usual, and not for an hour like one of the week before', () => {
    expect(decide(week(1_000, 9_000_000, 23))).toBeNull();
    const nightly = week(1_000, 9_000_000).set(thisHourMs - 24 * hourMs, 9_000_000);
    expect(decide(nightly)).toBeNull();
  });
});
