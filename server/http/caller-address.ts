import type { Express, Request } from 'express';
import { readAddress, unknownAddress } from '../kernel/addresses/network-address.js';
import type { Logger } from '../kernel/logger.js';
import { headersMax } from './create-http-server.js';

/** Whether what stands at an address may say where a request comes from. `hop` is 0 for the connection itself. */
type Trust = (address: string, hop: number) => boolean;

/**
 * Makes `request.ip` of each request of an app, WebSockets included, the caller's address by `trust proxy`, in its one form: some
 * proxies write a port behind it, by which each connection would be a network of its own. Where the proxy names no IP address it is
 * `unknownAddress`, which the log says once.
 */
export function readCallerAddresses(app: Express, logger: Pick<Logger, 'warn'>): void {
  const trust = app.get('trust proxy fn') as Trust;
  let isTold = false;
  Object.defineProperty(app.request, 'ip', {
    get(this: Request) {
      const address = findAddress(this, trust);
      // Without an address of its socket, the connection is gone.
      if (address === unknownAddress && this.socket.remoteAddress !== undefined && !isTold) {
        isTold = true;
        logger.warn('caller_address_unknown', { text, remedy });
      }
      return address;
    },
  });
}

const text =
  'The proxy in front names a caller by what is no IP address. Such callers share one network in all limits, and no key with allowed addresses takes them.';
const remedy =
  'Have the proxy write the address it is connected to into X-Forwarded-For, with or without a port, and compare TRUST_PROXY with the number of proxies.';

function findAddress({ socket, headers, rawHeaders }: Request, trust: Trust): string {
  const own = readAddress(socket.remoteAddress ?? '');
  if (!trust(own, 0)) return own;
  // Node drops the last ones. The proxy's may be among them, and what is left may be the caller's own words.
  if (rawHeaders.length >= 2 * headersMax) return unknownAddress;
  const named = String(headers['x-forwarded-for'] ?? '').split(',');
  const last = named.filter((name) => name.trim() !== '').reverse();
  let address = own;
  for (const [hop, name] of last.entries()) {
    if (!trust(address, hop)) break;
    address = readAddress(name);
  }
  return address;
}
