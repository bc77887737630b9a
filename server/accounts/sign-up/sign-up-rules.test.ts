import { assertEmailRules } from './sign-up-rules.js';

describe('The rules of e-mail addresses', () => {
  it.each([
    'ada@example.com\u200b',
    'ada@exam\u00adple.com',
    'ada@example\u200d.com',
    '\u2060ada@example.com',
    'a\u034fda@example.com',
    'ada\u3164@example.com',
    'ada\ufe0f@example.com',
    'ada@example.com\u202e',
    'ada@exa\u0000mple.com',
  ])('refuse characters that nobody sees, with words: %j', (email) => {
    const words = 'This address holds characters that cannot be seen. Type it anew.';
    expect(() => assertEmailRules('newEmail', email)).toThrow(
      expect.objectContaining({ code: 'invalid_value', param: 'newEmail', message: words }),
    );
  });

  it.each([' ada@example.com\n', 'Ada+tag@Example.COM', 'zoë@münchen.example', 'अदा@उदाहरण.भारत', '張@例子.example'])(
    'take what people have, with blanks around it: %j',
    (email) => assertEmailRules('email', email),
  );
});
