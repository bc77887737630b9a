import { isIP } from 'node:net';
import { isPublicAddress } from '../kernel/addresses/public-address.js';

// Signed addresses of storage services come to two or three thousand.
const addressCharactersMax = 16_384;

const privateNames = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|localdomain|home\.arpa)$/;

/**
 * Whether an image may be named so to a provider: as data, or on the web at a public host. We fetch no image, but a provider
 * that runs inside the operator's own network would fetch whatever a caller names there.
 */
export function isPublicImage(address: string): boolean {
  // Nothing but Base64 and what is around it: one other character would make each take twice the memory.
  if (/^data:image\//i.test(address)) return /^[\x20-\x7e]*$/.test(address);
  if (address.length > addressCharactersMax) return false;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return false;
  return isPublicHost(url.hostname.replace(/\.$/, ''));
}

// `URL` has written every odd spelling of an IPv4 address, such as 0x7f.1, in the ordinary way.
function isPublicHost(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 ? host.includes('.') && !privateNames.test(host) : isPublicAddress(address);
}
