import { mostUsedPasswords } from './most-used-passwords.js';
import { assertPasswordRules } from './password-rules.js';

const faultOf = (password: string, ofPerson: readonly string[] = []) => {
  try {
    assertPasswordRules('password', password, ofPerson);
    return null;
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_value', param: 'password' });
    return (error as Error).message;
  }
};

describe('A new password', () => {
  it('is none of the 3,000 and more that are used most, in whatever case', () => {
    expect(new Set(mostUsedPasswords.match(/\S{8}/g)).size).toBeGreaterThanOrEqual(3_000);
    for (const password of ['password1', 'iloveyou', 'qwertyuiop', 'trustno1', 'StarWars', '1qaz2wsx', 'superman']) {
      expect([password, faultOf(password)]).toEqual([password, expect.stringContaining('tried first')]);
    }
  });

  it.each(['aaaaaaaa', 'abcabcabca', '12341234', '23456789', 'hgfedcba', '😀😀😀😀😀😀😀😀'])(
    'is no pattern such as %s',
    (password) => {
      expect(faultOf(password)).toContain('tried first');
    },
  );

  it.each(['tollgate', 'Tollgate2026!', '#openai-proxy#', 'AdminTollgate1'])(
    'is not made of words of the context alone, as %s is',
    (password) => {
      expect(faultOf(password)).toContain('near at hand');
    },
  );

  it('is not made of the address and the name of whoever chooses it', () => {
    const ofPerson = ['ada.lovelace@analytical.example', 'Ada King'];
    expect(faultOf('Lovelace1815', ofPerson)).toContain('near at hand');
    expect(faultOf('lovelace@analytical', ofPerson)).toContain('near at hand');
    expect(faultOf('Lovelace1815', ['grace@navy.example'])).toBeNull();
  });

  it.each([
    'a ship in port is safe',
    'a long enough password',
    '84019375',
    'zzzz yyyy xxxx',
    'tollgate has a green door',
    'пароль для входа',
  ])('may be of any characters, as %s is', (password) => {
    expect(faultOf(password, ['ada@example.com', 'Ada'])).toBeNull();
  });
});
