import { dollarsFault } from './validate-dollars';

describe('dollarsFault', () => {
  it('accepts whole dollars within the bounds', () => {
    for (const typed of ['5', ' 25 ', '1000']) expect(dollarsFault(typed)).toBeNull();
  });

  it('names the bound that was passed', () => {
    expect(dollarsFault('4')).toContain('smallest');
    expect(dollarsFault('1001')).toContain('largest');
  });

  it('refuses cents, signs and words', () => {
    for (const typed of ['', '5.50', '-5', '1e3', 'ten', '9999999'])
      expect(dollarsFault(typed)).toContain('whole dollars');
  });
});
