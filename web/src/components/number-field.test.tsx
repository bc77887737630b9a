/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { useState } from 'react';
import { renderPage } from '../test/render-page';
import { NumberField } from './number-field';

interface FormProps {
  initial: number | null;
  told: unknown[];
  faults: (string | null)[];
  emptyFault?: string;
  decimals?: number;
  max?: number;
}

function Form({ initial, told, faults, ...bounds }: FormProps) {
  const [value, setValue] = useState(initial);
  return (
    <>
      <NumberField
        {...{ name: 'amount', label: 'Amount', min: 0, value, ...bounds }}
        onChange={(next) => {
          told.push(next);
          setValue(next);
        }}
        onFault={(_, fault) => faults.push(fault)}
      />
      <button type="button" onClick={() => setValue(42)}>
        Another
      </button>
    </>
  );
}

function open(props: Omit<FormProps, 'told' | 'faults'>) {
  const told: unknown[] = [];
  const faults: (string | null)[] = [];
  const { user } = renderPage(<Form {...{ ...props, told, faults }} />);
  const field = screen.getByLabelText<HTMLInputElement>('Amount');
  /** Empties the field and types, key by key, then leaves it. */
  const type = async (keys: string) => {
    await user.clear(field);
    for (const key of keys) await user.type(field, key);
    await user.tab();
  };
  /** Empties the field, pastes, then leaves it. */
  const paste = async (text: string) => {
    await user.clear(field);
    await user.click(field);
    await user.paste(text);
    await user.tab();
  };
  return { user, field, told, faults, type, paste };
}

describe('NumberField', () => {
  it.each(['0.7', '0.05', '1.50', '10.205'])('shows %s as it was typed, key by key, and reports it', async (typed) => {
    const { field, told, type, faults } = open({ initial: null, decimals: 3 });
    await type(typed);
    expect(Number(field.value)).toBe(Number(typed));
    expect([told.at(-1), faults.at(-1)]).toEqual([Number(typed), null]);
  });

  it.each([
    ['0500', '500'],
    ['010', '10'],
    ['1500', '1,500'],
  ])('reports for %s the number that it shows', async (typed, shown) => {
    const { field, told, type } = open({ initial: 500 });
    await type(typed);
    expect(field.value).toBe(shown);
    expect(told.at(-1)).toBe(Number(typed));
  });

  describe.each(['type', 'paste'] as const)('of what somebody is to %s', (way) => {
    it.each([
      ['20,000', {}, 20_000],
      ['20,000', { decimals: 3 }, 20_000],
      ['12,345,678', {}, 12_345_678],
      ['1,500.25', { decimals: 3 }, 1_500.25],
      ['1500.25', { decimals: 3 }, 1_500.25],
    ])('takes %s with the comma between thousands', async (text, bounds, value) => {
      const page = open({ initial: null, ...bounds });
      await page[way](text);
      expect([page.told.at(-1), page.faults.at(-1)]).toEqual([value, null]);
      expect(page.field.value).toBe(value.toLocaleString('en-US'));
    });

    it.each([
      ['12,5', { decimals: 3 }, /^Write thousands as 1500 or 1,500, and decimals with a point/],
      ['1.500,25', { decimals: 3 }, /^Write thousands as/],
      ['0,500', { decimals: 3 }, /^Write thousands as/],
      ['1,5', {}, /^Write 1500 or 1,500\.$/],
      ['20.000', {}, /^Enter a whole number, without a point\.$/],
    ])('refuses %s, which is not the same number to everybody, and keeps it in sight', async (text, bounds, words) => {
      const page = open({ initial: null, ...bounds });
      await page[way](text);
      expect(page.field.value).toBe(text);
      expect(page.faults.at(-1)).toMatch(words);
      screen.getByText(words);
    });
  });

  it('reports an empty field as such where it may be empty, and as a fault in words where it may not', async () => {
    const free = open({ initial: 500 });
    await free.type('');
    expect([free.told, free.faults.at(-1)]).toEqual([[null], null]);
    document.body.replaceChildren();
    const bound = open({ initial: 500, emptyFault: 'Enter the budget, or choose “No budget”.' });
    await bound.type('');
    expect([bound.told, bound.faults.at(-1)]).toEqual([[], 'Enter the budget, or choose “No budget”.']);
    screen.getByText('Enter the budget, or choose “No budget”.');
  });

  it.each([
    ['99999999999999999999', {}, '99999999999999999999', 'Enter a number from 0 to 2,147,483,647.'],
    ['2.5', { max: 2, decimals: 2 }, '2.5', 'Enter a number from 0 to 2.'],
    ['1.5', {}, '1.5', 'Enter a whole number, without a point.'],
    ['-3', {}, '-3', 'Enter 0 or more.'],
  ])('keeps %s in sight, which cannot be sent, and says why once it is left', async (typed, bounds, shown, fault) => {
    const { field, told, type, faults } = open({ initial: null, ...bounds });
    await type(typed);
    expect(field.value).toBe(shown);
    expect(faults.at(-1)).toBe(fault);
    screen.getByText(fault);
    expect(told.at(-1)).not.toBe(Number(typed));
  });

  it('says nothing wrong of an empty field that nobody has been in, but reports it', () => {
    const { faults } = open({ initial: null, emptyFault: 'Enter the credits.' });
    expect([faults.at(-1), screen.queryByText('Enter the credits.')]).toEqual(['Enter the credits.', null]);
  });

  it('shows another number that comes from outside, in the place of what was typed', async () => {
    const { user, field, type, faults } = open({ initial: 500, emptyFault: 'Enter the budget.' });
    await type('');
    await user.click(screen.getByRole('button', { name: 'Another' }));
    expect([field.value, faults.at(-1)]).toEqual(['42', null]);
  });
});
