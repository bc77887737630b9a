import { readNumber } from './read-number';

const credits = { min: 0, decimals: 3 };
const whole = { min: 1, max: 4_096 };

const noPoint = 'Enter a whole number, without a point.';
const comma = 'Write thousands as 1500 or 1,500, and decimals with a point, as in 1.5.';

describe('readNumber', () => {
  it.each([
    ['0.7', 0.7],
    ['0.70', 0.7],
    ['0500', 500],
    ['.5', 0.5],
    ['5.', 5],
    ['0', 0],
    ['-0', 0],
    ['999999999.999', 999_999_999.999],
    ['1,500', 1_500],
    ['12,345,678.5', 12_345_678.5],
    ['', null],
  ])('reads %j as what it shows, also on the way to it', (typed, value) => {
    expect(readNumber(typed, credits)).toEqual({ value });
  });

  it.each([
    ['-', credits, 'Enter a number in digits.'],
    ['.', credits, 'Enter a number in digits.'],
    ['1e3', credits, 'Enter a number in digits.'],
    ['٥', credits, 'Enter a number in digits.'],
    ['-3', credits, 'Enter 0 or more.'],
    ['0.0001', credits, 'Enter at most 3 digits after the point.'],
    ['1.5', whole, noPoint],
    ['20.000', whole, noPoint],
    ['5.', whole, noPoint],
    ['1,5', whole, 'Write 1500 or 1,500.'],
    ['20,00', whole, 'Write 1500 or 1,500.'],
    ['12,5', credits, comma],
    ['1500,25', credits, comma],
    ['1.500,25', credits, comma],
    ['0,500', credits, comma],
    ['1,5000', credits, comma],
    ['1234,567', credits, comma],
    ['1,234.5,6', credits, comma],
    ['0', whole, 'Enter a number from 1 to 4,096.'],
    ['00', whole, 'Enter a number from 1 to 4,096.'],
    ['4097', whole, 'Enter a number from 1 to 4,096.'],
    ['99999999999999999999', { min: 1 }, 'Enter a number from 1 to 2,147,483,647.'],
    ['99999999999999999999', credits, 'Enter a number from 0 to 1,000,000,000.'],
    ['1000000000.001', credits, 'Enter a number from 0 to 1,000,000,000.'],
    ['1234567890123.456', { ...credits, max: 9e12 }, 'Enter fewer digits.'],
    ['', { ...whole, emptyFault: 'Enter the budget.' }, 'Enter the budget.'],
  ])('says of %j what is wrong, and neither rounds it nor moves it into the bounds', (typed, bounds, fault) => {
    expect(readNumber(typed, bounds)).toEqual({ fault });
  });

  // A pattern that goes back over the zeros would take minutes.
  it('says at once what is wrong with whatever was pasted', () => {
    const pasted = `0.${'0'.repeat(500_000)}1`;
    expect(readNumber(pasted, credits)).toEqual({ fault: 'Enter at most 3 digits after the point.' });
  });
});
