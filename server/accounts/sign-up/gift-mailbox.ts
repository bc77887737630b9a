import { mailboxOf } from '../mailbox.js';

interface Spellings {
  readonly domains: readonly string[];
  /** Of the part before the @, without what stands behind a plus: the one that all spellings of a mailbox come to. */
  readonly fold?: (local: string) => string;
  /** Whether one mailbox has the same name under each of the domains. */
  readonly sharesNames?: boolean;
  /** Whether `anything@name.domain` is `name@domain`. */
  readonly takesSubdomains?: boolean;
}

/**
 * Further addresses that a mailbox has at providers where anybody signs up, each with where that is said. Those with a plus, as at Outlook, Hotmail,
 * Live, Fastmail, Proton, iCloud and Google, and the dots of Google, `mailboxOf` knows.
 */
const spellingsByProvider: readonly Spellings[] = [
  // A base name and a keyword, with a hyphen between them, which no name of an account has: http://help.yahoo.com/help/uk/bt/tutorials/mail/addressguard2.html.
  {
    domains: [
      ...['yahoo.com', 'ymail.com', 'rocketmail.com', 'yahoo.ca', 'yahoo.co.in', 'yahoo.co.uk', 'yahoo.com.au'],
      ...['yahoo.com.br', 'yahoo.com.mx', 'yahoo.de', 'yahoo.es', 'yahoo.fr', 'yahoo.in', 'yahoo.it'],
    ],
    fold: (local) => local.replace(/(?<=.)-.*$/s, ''),
  },
  // A name is one account's under all of them (https://proton.me/support/addresses-and-aliases), and its dots, hyphens and
  // underscores are not looked at (https://www.sindastra.de/p/1775/protonmail-dots-hyphens-and-underscores).
  {
    domains: ['proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me'],
    fold: (local) => local.replace(/[._-]/g, ''),
    sharesNames: true,
  },
  // https://support.apple.com/en-vn/118230
  { domains: ['icloud.com', 'me.com', 'mac.com'], sharesNames: true },
  // https://www.fastmail.help/hc/en-us/articles/360060591053
  { domains: ['fastmail.com', 'fastmail.fm'], takesSubdomains: true },
];

/**
 * The mailbox whose owner has one gift for signing up, whatever spelling its provider lets them make up. Takes any text. For nothing but the
 * gift: who signs in, and whom a mail is for, is never decided by it, since a provider may change what it does.
 */
export function giftMailboxOf(email: string): string {
  const mailbox = mailboxOf(email);
  const at = mailbox.lastIndexOf('@');
  const [local, domain] = [mailbox.slice(0, at), mailbox.slice(at + 1)];
  for (const { domains, fold, sharesNames, takesSubdomains } of spellingsByProvider) {
    const own = domains.find((known) => domain === known || (takesSubdomains && domain.endsWith(`.${known}`)));
    if (own === undefined) continue;
    const name = domain === own ? local : domain.slice(0, -own.length - 1);
    return `${fold?.(name) ?? name}@${sharesNames ? domains[0] : own}`;
  }
  return mailbox;
}
