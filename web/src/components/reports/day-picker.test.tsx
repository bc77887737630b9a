/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { nameDay } from '../../lib/reports/calendar';
import { renderPage } from '../../test/render-page';
import { DayPicker } from './day-picker';

function open(day: string) {
  const chosen: (string | null)[] = [];
  const page = renderPage(
    <DayPicker label="Last day" day={day} minDay="2026-11-23" onChange={(one) => chosen.push(one)} />,
  );
  return { ...page, chosen };
}

const field = () => screen.getByLabelText<HTMLInputElement>('Last day');
const calendar = () => screen.getByRole('button', { name: 'Calendar' });
const dayButton = (day: string) => screen.getByRole('button', { name: nameDay(day) });

describe('DayPicker', () => {
  it('opens filled, and takes a typed day, but none that does not exist or is over', async () => {
    const { user, chosen } = open('2026-12-01');
    expect(field().value).toBe('2026-12-01');
    for (const [typed, words] of [
      ['2027-02-31', 'Write it as 2026-11-03.'],
      ['2026-11-22', 'This day has passed.'],
    ] as const) {
      await user.clear(field());
      await user.type(field(), typed);
      screen.getByText(words);
      expect(chosen.at(-1)).toBeNull();
    }
    await user.clear(field());
    await user.type(field(), '2026-11-23');
    expect(chosen.at(-1)).toBe('2026-11-23');
    expect(screen.queryByText('This day has passed.')).toBeNull();
  });

  it('takes a day from the month by the keyboard alone, none before the first, and gives the focus back', async () => {
    const { user, chosen } = open('2026-12-01');
    calendar().focus();
    await user.keyboard('{Enter}');
    expect(calendar().getAttribute('aria-expanded')).toBe('true');
    dayButton('2026-12-01').focus();
    await user.keyboard('{PageUp}');
    expect(document.activeElement).toBe(dayButton('2026-11-23'));
    await user.keyboard('{ArrowLeft}');
    expect(document.activeElement).toBe(dayButton('2026-11-23'));
    expect(dayButton('2026-11-22')).toHaveProperty('disabled', true);
    expect(screen.getByRole('button', { name: 'Month before' })).toHaveProperty('disabled', true);
    await user.keyboard('{ArrowRight}{Enter}');
    expect([chosen.at(-1), field().value]).toEqual(['2026-11-24', '2026-11-24']);
    expect(document.activeElement).toBe(calendar());
    expect(screen.queryByRole('grid')).toBeNull();
  });
});
