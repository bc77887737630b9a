import { type LookupAddress, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../kernel/addresses/public-address.js';
import { InvalidInputError } from '../kernel/app-error.js';

/**
 * Checks a web address that somebody else chose and our server shall post to.
 * @param isDevelopment Also takes http and private addresses, for trying it out on one machine.
 * @throws InvalidInputError that names the field.
 */
export function assertWebhookUrl(field: string, text: string, isDevelopment: boolean): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isKnownScheme = url?.protocol === 'https:' || (isDevelopment && url?.protocol === 'http:');
  if (!url || !isKnownScheme || text.length > 2_000) {
    throw new InvalidInputError(field, 'Enter an https address such as https://example.com/tollgate.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidInputError(field, 'Leave user and password out of the address; our signature proves who we are.');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!isDevelopment && isIP(host) !== 0 && !isPublicAddress(host)) {
    throw new InvalidInputError(field, 'This address is not on the public internet.');
  }
}

/** A look-up of names that answers public addresses only, so that a name cannot lead into our own network. */
export const lookUpPublicAddress: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    const open = error ? [] : addresses.filter(({ address }) => isPublicAddress(address));
    const first = open[0];
    if (error) done(error, '');
    else if (!first) done(Object.assign(new Error(`${hostname} has no public address.`), { code: 'ENOTPUBLIC' }), '');
    else if (options.all) done(null, open);
    else done(null, first.address, first.family);
  });
};
