import { readNumber } from './read-number';

const credits = { min: 0, decimals: 3 };
const whole = { min: 1, max: 4_096 };

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
    ['1.5', whole, 'Enter a whole number.'],
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
