import fc from 'fast-check';
import { mailboxOf, normaliseEmail } from '../mailbox.js';
import { giftMailboxOf } from './gift-mailbox.js';

describe('giftMailboxOf', () => {
  it.each([
    ['Yahoo', 'ada@yahoo.com', ['ada-shop@yahoo.com', 'ada-a-b@Yahoo.com', 'ada+x@yahoo.com', 'ada-x+y@yahoo.com.']],
    ['Yahoo of a country', 'ada@yahoo.co.uk', ['ada-shop@yahoo.co.uk']],
    ['Proton', 'adal@proton.me', ['a.da-l@proton.me', 'ada_l@protonmail.com', 'adal+x@pm.me', 'a.d.a.l@protonmail.ch']],
    ['Apple', 'ada@icloud.com', ['ada@me.com', 'ada+x@mac.com', 'ADA@iCloud.com']],
    ['Fastmail', 'ada@fastmail.com', ['ada+x@fastmail.com', 'anything@ada.fastmail.com', 'x+y@ada.fastmail.com']],
    ['Microsoft', 'ada@outlook.com', ['ada+x@outlook.com', 'ada+x+y@Outlook.com']],
    ['Hotmail', 'ada@hotmail.com', ['ada+x@hotmail.com']],
    ['Live', 'ada@live.com', ['ada+x@live.com']],
    ['Google', 'ada@gmail.com', ['a.d.a@gmail.com', 'ada+x@googlemail.com']],
  ])('knows every spelling that %s has for a mailbox', (_, mailbox, spellings) => {
    for (const spelling of [mailbox, ...spellings]) expect(giftMailboxOf(spelling)).toBe(mailbox);
  });

  it('tells mailboxes apart that are apart', () => {
    const apart = [
      ...['ada@yahoo.com', 'ada@yahoo.de', 'a.da@yahoo.com', 'ada@ymail.com', '-ada@yahoo.com'],
      ...['ada-l@example.com', 'adal@example.com', 'ada@example.com', 'ada-l@outlook.com', 'ada@outlook.com'],
      ...['ada@hotmail.com', 'ada@live.com', 'a.da@outlook.com', 'ada@fastmail.com', 'ada@fastmail.fm'],
      ...['ada@notfastmail.com', 'ada@icloud.com', 'a.da@icloud.com', 'ada@x.icloud.com', 'ada@proton.me'],
      ...['ada@yahoo.co.jp', 'ada-l@yahoo.co.jp'],
    ];
    expect(new Set(apart.map(giftMailboxOf)).size).toBe(apart.length);
  });

  it('takes any text, and is the mailbox where nothing is known of its provider', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        giftMailboxOf(text);
        expect(giftMailboxOf(`${text}@example.com`)).toBe(mailboxOf(`${text}@example.com`));
      }),
    );
  });

  it('is not what signs in', () => {
    for (const email of ['ada-shop@yahoo.com', 'a.da@proton.me', 'ada@me.com', 'x@ada.fastmail.com']) {
      expect(normaliseEmail(email)).toBe(email);
      expect(mailboxOf(email)).toBe(email);
    }
  });
});
