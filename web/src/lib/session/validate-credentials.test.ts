import { emailFault, nameFault, passwordFault } from './validate-credentials';

describe('emailFault', () => {
  it('accepts addresses and names the remedy for anything else', () => {
    expect(emailFault(' ada@example.com ')).toBeNull();
    for (const email of ['', 'ada', 'ada@', '@example.com', 'ada@example', 'a da@example.com']) {
      expect(emailFault(email)).toContain('e-mail');
    }
  });

  // A pattern that tries each dot as the last one would take minutes.
  it('says at once what is wrong with whatever was pasted', () => {
    for (const piece of ['a.', '.', 'a']) expect(emailFault(`a@${piece.repeat(300_000)} b`)).toContain('e-mail');
    expect(emailFault(`ada@${'mail.'.repeat(10)}example.com`)).toBeNull();
  });
});

describe('passwordFault', () => {
  it('counts characters, not code units, from 8 to 128', () => {
    expect(passwordFault('1234567')).toContain('at least 8');
    expect(passwordFault('12345678')).toBeNull();
    expect(passwordFault('🔑'.repeat(7))).toContain('at least 8');
    expect(passwordFault('🔑'.repeat(128))).toBeNull();
    expect(passwordFault('a'.repeat(129))).toContain('at most 128');
  });
});

describe('nameFault', () => {
  it('wants something to read', () => {
    expect(nameFault('   ')).toBe('Enter a name.');
    expect(nameFault('Ada')).toBeNull();
    expect(nameFault('a'.repeat(101))).toContain('at most 100');
  });
});
