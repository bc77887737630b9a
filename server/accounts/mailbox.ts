import { domainToASCII, domainToUnicode } from 'node:url';

// What every provider in use takes: words with dots between them, no quotes, no comments, no spaces.
const word = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{|}~-]+";
const localShape = new RegExp(`^${word}(\\.${word})*$`, 'u');
const domainShape = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+([a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;
const localLengthMax = 64;
const domainLengthMax = 253;

/** What is compared of an e-mail address: its spellings come out alike. Also for the sign-in of a typo. */
export function normaliseEmail(email: string): string {
  const typed = asTyped(email);
  const { local, domain } = split(typed);
  return domain === '' ? typed : `${local}@${toAscii(domain)}`;
}

/**
 * How an account with this address may be on record: as `normaliseEmail` has it, or as accounts were compared before domains
 * were, the one as it was typed first.
 */
export function listSpellings(email: string): readonly string[] {
  const typed = asTyped(email);
  const normalised = normaliseEmail(email);
  const { local, domain } = split(normalised);
  return [...new Set([typed, normalised, `${local}@${domainToUnicode(domain)}`, `${normalised}.`])];
}

/**
 * Whether an address has a form that mail providers really hand out; everything else, such as a quoted name, a comment or an
 * address of numbers, is another spelling of one that is on the list, or no address.
 * @param normalised As `normaliseEmail` has it.
 */
export function isUsualEmail(normalised: string): boolean {
  const { local, domain } = split(normalised);
  return (
    localShape.test(local) &&
    local.length <= localLengthMax &&
    domainShape.test(domain) &&
    domain.length <= domainLengthMax
  );
}

/**
 * The mailbox behind an address, however it is spelled: without quotes, comments, and what stands behind a plus; without the dots
 * that Google does not look at. Takes any text.
 */
export function mailboxOf(email: string): string {
  const { local, domain } = split(normaliseEmail(withoutComments(asTyped(email))));
  const name = local.replace(/["\\\s]/g, '').replace(/\+.*$/s, '');
  const isGoogle = domain === 'gmail.com' || domain === 'googlemail.com';
  return isGoogle ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${domain}`;
}

function asTyped(email: string): string {
  return email.trim().normalize('NFKC').toLowerCase();
}

// The last @, since a quoted name may have one.
function split(address: string): { local: string; domain: string } {
  const at = address.lastIndexOf('@');
  return at < 0 ? { local: address, domain: '' } : { local: address.slice(0, at), domain: address.slice(at + 1) };
}

// What has no ASCII form is no domain, and is left as it is for `isUsualEmail` to refuse.
function toAscii(domain: string): string {
  const bare = domain.replace(/\.$/, '');
  return domainToASCII(bare) || bare;
}

// From the inside out, since comments may hold comments. An address is short.
function withoutComments(address: string): string {
  const bare = address.replace(/\([^()]*\)/g, '');
  return bare === address ? address : withoutComments(bare);
}
