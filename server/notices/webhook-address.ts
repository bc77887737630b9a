import { isIP, type LookupFunction } from 'node:net';
import { lookUpLocalName } from '../kernel/addresses/look-up-local-name.js';
import { type LookUpName, lookUpName } from '../kernel/addresses/look-up-name.js';
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

/**
 * A look-up of names that answers public addresses only, so that a name cannot lead into our own network. It asks the name servers
 * itself: `dns.lookup` has two threads for all names of the process, and names that nobody answers for would keep providers waiting.
 */
export const lookUpPublicAddress = createLookup(lookUpName, isPublicAddress);

/** As `lookUpPublicAddress`, for trying it out on one machine: it answers every address, and knows the names of the hosts file. */
export const lookUpAnyAddress = createLookup(lookUpLocalName, () => true);

/** As these, by this way to find addresses, of which it answers those that are allowed. */
export function createLookup(find: LookUpName, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, done) => {
    find(hostname).then(
      (found) => {
        const open = found.filter(isAllowed).map((address) => ({ address, family: isIP(address) }));
        const wanted = open.filter(({ family }) => !options.family || family === options.family);
        const [first] = wanted;
        if (!first) done(faultOf(hostname, found.length > 0), '');
        else if (options.all) done(null, wanted);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, ''),
    );
  };
}

function faultOf(hostname: string, hasAddress: boolean): NodeJS.ErrnoException {
  if (hasAddress) return Object.assign(new Error(`${hostname} has no public address.`), { code: 'ENOTPUBLIC' });
  return Object.assign(new Error(`${hostname} has no address.`), { code: 'ENOTFOUND' });
}
