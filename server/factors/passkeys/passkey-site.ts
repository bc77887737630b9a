import { isIP } from 'node:net';
import { AppError } from '../../kernel/app-error.js';

/** For which site passkeys are made and used. */
export interface PasskeySite {
  /** The name that they are bound to. */
  readonly rpId: string;
  /** Where the page has to come from. */
  readonly origin: string;
}

/**
 * The site of a public address.
 * @throws AppError `conflict` where that has no name: browsers bind passkeys to names, never to numbers.
 */
export function getPasskeySite(publicUrl: string): PasskeySite {
  const { hostname, origin } = new URL(publicUrl);
  if (isIP(hostname.replace(/^\[|\]$/g, '')) === 0) return { rpId: hostname, origin };
  const words =
    'Passkeys need a server with a name: its operator has to set one in PUBLIC_URL, such as https://example.com.';
  throw new AppError('conflict', words);
}
