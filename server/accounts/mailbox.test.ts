import fc from 'fast-check';
import { isUsualEmail, listSpellings, mailboxOf, normaliseEmail } from './mailbox.js';

describe('normaliseEmail', () => {
  it.each([
    [' A@X.ORG. ', 'a@x.org'],
    ['ａda@example.com', 'ada@example.com'],
    ['ada@BÜCHER.de', 'ada@xn--bcher-kva.de'],
    ['ada@xn--bcher-kva.de', 'ada@xn--bcher-kva.de'],
    ['ada@例え。jp', 'ada@xn--r8jz45g.jp'],
    ['nonsense', 'nonsense'],
  ])('%s is compared as %s', (email, normalised) => expect(normaliseEmail(email)).toBe(normalised));

  it('comes out alike when it is done again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const once = normaliseEmail(`${text}@example.com`);
        expect(normaliseEmail(once)).toBe(once);
      }),
    );
  });
});

describe('isUsualEmail', () => {
  it.each([
    'ada@example.com',
    "o'brien+tag@example.co.uk",
    'ada.lovelace_1-2@xn--bcher-kva.de',
    '用户@example.cn',
    'a@b.museum',
  ])('takes %s', (email) => expect(isUsualEmail(normaliseEmail(email))).toBe(true));

  it.each([
    '"a"@x.org',
    '"a b"@x.org',
    'a(comment)@x.org',
    '(c)a@x.org',
    'a@x.org(c)',
    'a@(c)x.org',
    'a@[192.0.2.1]',
    'a@192.0.2.1',
    'a@0x7f.1',
    '.a@x.org',
    'a.@x.org',
    'a..b@x.org',
    'a@x',
    'a@-x.org',
    'a@x..org',
    'a@b@x.org',
    'a,b@x.org',
    'a;b@x.org',
    '<a@x.org>',
    'a@x.org>, eve@x.org',
    'a\\b@x.org',
    'a\u0000@x.org',
    'a\r\nbcc:e@x.org',
    'a@x.org\r\nbcc:e@x.org',
    `${'a'.repeat(65)}@x.org`,
    '@x.org',
    'a@',
    '',
  ])('refuses %j', (email) => expect(isUsualEmail(normaliseEmail(email))).toBe(false));
});

describe('mailboxOf', () => {
  it.each([
    'a@x.org',
    'A@X.ORG.',
    '"a"@x.org',
    '"\\a"@x.org',
    'a(comment)@x.org',
    '(one(two))a@x.org',
    'a@(comment)x.org',
    'a@x.org(comment)',
    'a+tag@x.org',
    '"a+tag"@x.org',
    'a+tag+more@X.org.',
    ' a@x.org ',
  ])('%s is the mailbox of a@x.org', (email) => expect(mailboxOf(email)).toBe('a@x.org'));

  it.each(['a.d.a@gmail.com', 'ada@googlemail.com.', '"a.da"+1@gmail.com'])(
    '%s is the mailbox of ada@gmail.com',
    (email) => expect(mailboxOf(email)).toBe('ada@gmail.com'),
  );

  it('tells mailboxes apart that are apart', () => {
    const apart = ['a.b@x.org', 'ab@x.org', 'ab@x.com', 'a-b@x.org', 'ab@sub.x.org'];
    expect(new Set(apart.map(mailboxOf)).size).toBe(apart.length);
  });

  it('takes any text, also a long one, without delay', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 1_000 }), (text) => void mailboxOf(text)));
    expect(mailboxOf(`${'('.repeat(500)}a${')'.repeat(500)}@x.org`)).toBe('@x.org');
  });
});

describe('listSpellings', () => {
  it('names what an older account may be on record as, the typed one first', () => {
    expect(listSpellings('A@Bücher.de.')).toEqual([
      'a@bücher.de.',
      'a@xn--bcher-kva.de',
      'a@bücher.de',
      'a@xn--bcher-kva.de.',
    ]);
  });
});
