import { isIP } from 'node:net';
import type { LookUpName } from '../kernel/addresses/look-up-name.js';
import { isPublicAddress } from '../kernel/addresses/public-address.js';
import { AppError } from '../kernel/app-error.js';
import type { ChatRequest } from './chat-types.js';

// Signed addresses of storage services come to two or three thousand.
const addressCharactersMax = 16_384;
/** Of the internet: a name there that is not found here is hardly found by others. So a server without name servers takes images there. */
const publicDomains = /\.(com|edu|gov|net|org)$/;
/** Hosts, with their ports, of all images of one request. */
const namesMax = 32;
/** An address up to its path, where nothing is in it that a reader of addresses leaves out. */
const beforePath = /^https?:\/\/[^\s/\\?#@]+(?=[/\\?#]|$)/i;

/**
 * Whether an image may be named so to a provider: as data, or on the web at a public IP address or at a name, which
 * `refusePrivateImages` looks up. We fetch no image, but a provider that runs inside the operator's own network would fetch
 * whatever a caller names there.
 */
export function isPublicImage(address: string): boolean {
  // Nothing but Base64 and what is around it: one other character would make each take twice the memory.
  if (/^data:image\//i.test(address)) return /^[\x20-\x7e]*$/.test(address);
  if (address.length > addressCharactersMax) return false;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return false;
  const host = hostOf(url);
  return isIP(host) === 0 ? host.includes('.') : isPublicAddress(host);
}

// `URL` has written every odd spelling of an IPv4 address, such as 0x7f.1, in the ordinary way.
function hostOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, '').replace(/^\[(.*)\]$/, '$1');
}

/**
 * The names of hosts that a request has images at, each with the field of its first image.
 * @param request Its images are `isPublicImage`.
 * @throws AppError `invalid_value` for more than 32 hosts, each with its port.
 */
export function listImageNames({ messages }: Pick<ChatRequest, 'messages'>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const seen = new Set<string>();
  for (const [index, { content }] of messages.entries()) {
    if (typeof content === 'string') continue;
    for (const [at, part] of content?.entries() ?? []) {
      if (part.type !== 'image_url' || /^data:/i.test(part.image_url.url)) continue;
      const { url } = part.image_url;
      // Most images of a conversation are at one host: each is read as an address once, whatever follows its host.
      const place = beforePath.exec(url)?.[0] ?? url;
      if (seen.has(place)) continue;
      seen.add(place);
      const host = hostOf(new URL(url));
      const field = `messages[${index}].content[${at}].image_url.url`;
      if (seen.size > namesMax) throw refuse(field, `images may be at ${namesMax} hosts at most`);
      if (isIP(host) === 0 && !names.has(host)) names.set(host, field);
    }
  }
  return names;
}

/**
 * Looks up names that `listImageNames` found, all at once, and lets only those through that have public addresses and no other; where
 * none is found, those in domains that are public everywhere.
 * @throws AppError `invalid_value`, in the same words for every name, so that nobody learns which there are in a private network.
 */
export async function refusePrivateImages(names: ReadonlyMap<string, string>, lookUp: LookUpName): Promise<void> {
  const asked = [...names];
  const areOpen = await Promise.all(asked.map(([name]) => isPublicName(name, lookUp)));
  for (const [at, [, field]] of asked.entries()) {
    if (!areOpen[at]) throw refuse(field, 'its host must be found at public addresses, and at no other');
  }
}

function refuse(field: string, words: string): AppError {
  const text = `Invalid '${field}': ${words}. Send the image as data (data:image/…).`;
  return new AppError('invalid_value', text, { param: field });
}

async function isPublicName(name: string, lookUp: LookUpName): Promise<boolean> {
  const addresses = await lookUp(name).catch(() => []);
  // What cannot be found here may be known to whoever fetches the image.
  return addresses.length > 0 ? addresses.every(isPublicAddress) : publicDomains.test(name);
}
