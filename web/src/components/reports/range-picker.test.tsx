/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { useSearchParams } from 'react-router';
import { monthBefore, nameDay, nameDays, toDay } from '../../lib/reports/calendar';
import { readRange, writeRange } from '../../lib/reports/time-range';
import { renderPage } from '../../test/render-page';
import { RangePicker } from './range-picker';

function Report() {
  const [search, setSearch] = useSearchParams();
  return <RangePicker choice={readRange(search, '30d')} onChoose={(choice) => setSearch(writeRange(search, choice))} />;
}

const open = (path: string) => renderPage(<Report />, {}, path);
const input = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const custom = () => screen.getByRole('button', { name: /^Custom$|UTC$/ });

describe('RangePicker', () => {
  it('chooses a preset with one press, into the address beside what stands there', async () => {
    const { user, address } = open('/usage?by=key');
    await user.click(screen.getByRole('radio', { name: '7d' }));
    expect(address.current).toBe('/usage?by=key&range=7d');
  });

  it('opens filled with the days that are shown, says when they begin, and keeps the ones that are typed', async () => {
    const { user, address } = open('/usage?from=2026-01-01&to=2026-01-31');
    expect(custom().textContent).toBe(nameDays('2026-01-01', '2026-01-31'));
    await user.click(custom());
    expect([input('First day').value, input('Last day').value]).toEqual(['2026-01-01', '2026-01-31']);
    expect(screen.getByRole('status').textContent).toContain('00:00 UTC');
    await user.clear(input('Last day'));
    await user.type(input('Last day'), '2025-12-31');
    expect(screen.getByText('The last day is before the first.')).toBeTruthy();
    await user.type(input('Last day'), '{Enter}');
    expect(address.current).toContain('to=2026-01-31');
    await user.clear(input('Last day'));
    await user.type(input('Last day'), '2026-01-02{Enter}');
    expect(address.current).toBe('/usage?from=2026-01-01&to=2026-01-02');
    expect(screen.queryByLabelText('First day')).toBeNull();
  });

  it('has the month that is over with one press more', async () => {
    const { user, address } = open('/usage?by=key');
    await user.click(custom());
    await user.click(screen.getByRole('button', { name: 'Last month' }));
    const { first, last } = monthBefore(toDay(Date.now()));
    expect(address.current).toBe(`/usage?by=key&from=${first}&to=${last}`);
    expect(custom().textContent).toBe(nameDays(first, last));
  });

  it('takes two days from the calendar by the keyboard alone, in whichever order', async () => {
    const { user, address } = open('/usage?from=2026-01-10&to=2026-01-20');
    await user.click(custom());
    const day = (name: string) => screen.getByRole('button', { name: nameDay(name) });
    day('2026-01-20').focus();
    await user.keyboard('{ArrowDown}{ArrowLeft}');
    expect(document.activeElement).toBe(day('2026-01-26'));
    await user.keyboard('{Enter}{PageUp}');
    expect(document.activeElement).toBe(day('2025-12-26'));
    await user.keyboard('{Enter}');
    expect([input('First day').value, input('Last day').value]).toEqual(['2025-12-26', '2026-01-26']);
    await user.click(screen.getByRole('button', { name: 'Show these days' }));
    expect(address.current).toBe('/usage?from=2025-12-26&to=2026-01-26');
  });
});
