import { isIP } from 'node:net';
import { z } from 'zod';
import { isLoopbackHost } from '../addresses/loopback.js';
import { parseNetwork } from '../addresses/network-address.js';

/** No setting needs more; a longer one is a file that was pasted by mistake. */
const charactersMax = 8_192;

/** A whole number from `min` to `max`, in decimal digits alone: what JavaScript would make of `0x50` or `1e3` is nobody's intent. */
export const wholeNumber = (min: number, max: number) =>
  z.string().transform((text, context) => {
    const value = /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    context.addIssue({ code: 'custom', message: `must be a whole number from ${min} to ${max}, in digits alone` });
    return z.NEVER;
  });

/** An IP address, or a host's name: not a number in disguise, which systems read in ways of their own. */
export const hostToListenOn = z
  .string()
  .refine(
    (text) => isIP(text) !== 0 || isHostName(text),
    'must be an IP address of this machine such as 127.0.0.1 or ::, or its name',
  );

function isHostName(text: string): boolean {
  const labels = text.split('.');
  const isWellFormed = labels.every((label) => /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(label));
  return isWellFormed && text.length <= 253 && /^[A-Za-z]/.test(labels.at(-1) ?? '');
}

/** Whether the text is an http(s) address that others can be appended to: no user, no password, no `?` and no `#`. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s/?#@\\]+(\/[^\s?#@\\]*)?$/.test(text) && URL.canParse(text);
}

/** Whether it is a web address of which nobody can change on its way what is read there: https, or on this machine. */
export function isSafeAddress(text: string): boolean {
  if (!isWebAddress(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || isLoopbackHost(hostname);
}

/** An address with nothing wrong in it, as far as a reader of such addresses can tell. */
export const addressWithout = (findFaults: (text: string) => readonly string[]) =>
  z.string().check((context) => {
    for (const message of findFaults(context.value)) {
      context.issues.push({ code: 'custom', message, input: '' });
    }
  });

/**
 * The address of a server that may hold a user and a password, as `smtp://user:password@host:587`: with a host, and with every
 * escape whole, which whoever connects would trip over much later.
 */
export const serviceAddress = (protocol: RegExp, path: RegExp, words: string) =>
  z.string().refine((text) => {
    if (!URL.canParse(text)) return false;
    const url = new URL(text);
    const isOurs = protocol.test(url.protocol) && url.hostname !== '' && path.test(url.pathname);
    return isOurs && [url.username, url.password, url.pathname].every(isDecodable);
  }, words);

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** A number of hops, or the proxies' own addresses and networks with commas between; never just anyone. */
export function readTrustProxy(text: string, context: z.RefinementCtx): number | readonly string[] {
  if (/^\d+$/.test(text) && Number(text) <= 10) return Number(text);
  const networks = text.split(',').map((part) => part.trim());
  if (networks.every((network) => parseNetwork(network) !== null)) return Object.freeze(networks);
  context.addIssue({ code: 'custom', message: 'must be 0 to 10 proxies, or their addresses such as 10.0.0.0/8, ::1' });
  return z.NEVER;
}

/**
 * What is wrong with the text of a setting whatever it means, in one sentence without its value; null: nothing. A line break at
 * the end of a key, as files have it, would be refused much later, by whoever is called with it.
 */
export function findTextFault(name: string, value: string): string | null {
  if (/\p{Cc}/u.test(value)) return `${name} holds a line break or another control character: take it out`;
  if (value.trim() !== value) return `${name} begins or ends with a space: take it out`;
  if (value.length > charactersMax) return `${name} is longer than ${charactersMax} characters`;
  return null;
}

/** As `findTextFault`, for what is sent in a header: printable ASCII without spaces. */
export function findSecretFault(name: string, value: string): string | null {
  const fault = findTextFault(name, value);
  if (fault !== null) return fault;
  return /^[\x21-\x7e]+$/.test(value)
    ? null
    : `${name} holds a space or a character that is not ASCII, which no header can carry: copy it anew`;
}

/** Setting -> what is wrong with its text whatever it means; only of these settings. */
export function findTextFaults(
  names: readonly string[],
  environment: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const faults = names.map((name) => [name, findTextFault(name, environment[name] ?? '')] as const);
  return new Map(faults.filter((entry): entry is [string, string] => entry[1] !== null));
}
