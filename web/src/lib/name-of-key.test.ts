import { nameOfKey } from './name-of-key';

const apiKeys = [
  { id: 'key_aaaaaa111111', name: 'Production' },
  { id: 'key_bbbbbb222222', name: 'Production' },
  { id: 'key_cccccc333333', name: 'Laptop' },
  { id: 'key_dddddd444444', name: 'Playground' },
];

describe('nameOfKey', () => {
  it('is the name alone where no other has it', () => {
    expect(nameOfKey('key_cccccc333333', apiKeys)).toBe('Laptop');
  });

  it('tells keys of one name apart by the end of their ids, and one that is called as the playground from it', () => {
    expect(['key_aaaaaa111111', 'key_bbbbbb222222', 'key_dddddd444444'].map((id) => nameOfKey(id, apiKeys))).toEqual([
      'Production (…111111)',
      'Production (…222222)',
      'Playground (…444444)',
    ]);
    expect(nameOfKey('playground', apiKeys)).toBe('Playground');
  });
});
