import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { InvalidInputError } from '../../kernel/app-error.js';
import type { PasskeySite } from './passkey-site.js';

/** What of a passkey is kept. */
export interface StoredCredential {
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: string;
}

/** Options for a browser, as JSON, and the challenge in them. */
export interface CeremonyOptions {
  readonly options: string;
  readonly challenge: string;
}

/** What a browser answered, of which only the form is known. */
export interface BrowserResponse {
  readonly credentialId: string;
  /** Whose passkey it says that it is, in base64url; null: it does not say. */
  readonly userHandle: string | null;
  readonly json: unknown;
}

const timeoutMs = 5 * 60_000;
const responseShape = z.looseObject({
  id: z.string().min(1).max(1_400),
  response: z.looseObject({ clientDataJSON: z.string(), userHandle: z.string().nullish() }),
});
// Only then is the library loaded, with all its certificates: most servers start without anybody who has a passkey.
const loadLibrary = () => import('@simplewebauthn/server');

/** The options by which a browser makes a passkey that asks its user for a PIN, finger or face. */
export async function createNewPasskeyOptions(
  site: PasskeySite,
  of: { readonly accountId: string; readonly label: string; readonly known: readonly StoredCredential[] },
): Promise<CeremonyOptions> {
  const { generateRegistrationOptions } = await loadLibrary();
  const options = await generateRegistrationOptions({
    rpName: 'Tollgate',
    rpID: site.rpId,
    timeout: timeoutMs,
    attestationType: 'none',
    userName: of.label,
    userDisplayName: of.label,
    userID: new TextEncoder().encode(of.accountId),
    excludeCredentials: of.known.map(toDescriptor),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs,
  });
  return { options: JSON.stringify(options), challenge: options.challenge };
}

/** The options by which a browser signs with one of these passkeys; of none: with whichever its user chooses. */
export async function createAssertionOptions(
  site: PasskeySite,
  allowed: readonly StoredCredential[],
): Promise<CeremonyOptions> {
  const { generateAuthenticationOptions } = await loadLibrary();
  const options = await generateAuthenticationOptions({
    rpID: site.rpId,
    timeout: timeoutMs,
    userVerification: 'required',
    ...(allowed.length > 0 && { allowCredentials: allowed.map(toDescriptor) }),
  });
  return { options: JSON.stringify(options), challenge: options.challenge };
}

/** @throws InvalidInputError for what is no answer of a browser. */
export function readBrowserResponse(text: string): BrowserResponse {
  try {
    const json: unknown = JSON.parse(text);
    const { id, response } = responseShape.parse(json);
    return { credentialId: id, userHandle: response.userHandle ?? null, json };
  } catch {
    throw new InvalidInputError('response', 'Send what the browser answered, as JSON.');
  }
}

/** The passkey that a browser has made. @throws InvalidInputError when it is not for this challenge or site, or nobody was verified. */
export async function readNewCredential(
  site: PasskeySite,
  challenge: string,
  { json }: BrowserResponse,
): Promise<StoredCredential> {
  const { verifyRegistrationResponse } = await loadLibrary();
  const verified = await verifyRegistrationResponse({
    response: json as RegistrationResponseJSON,
    ...expecting(site, challenge),
    supportedAlgorithmIDs,
  }).catch(() => null);
  if (!verified?.verified) throw notThisPasskey();
  const { id: credentialId, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
  return {
    credentialId,
    counter,
    publicKey: Buffer.from(publicKey).toString('base64url'),
    transports: transports
      .filter((name) => /^[a-z-]{1,20}$/.test(name))
      .slice(0, 8)
      .join(),
  };
}

/** Checks a signature. @returns the authenticator's new count. @throws InvalidInputError as above, and when the count went back. */
export async function checkAssertion(
  site: PasskeySite,
  challenge: string,
  { response, credential }: { readonly response: BrowserResponse; readonly credential: StoredCredential },
): Promise<number> {
  const { verifyAuthenticationResponse } = await loadLibrary();
  const { credentialId: id, counter, publicKey } = credential;
  const verified = await verifyAuthenticationResponse({
    response: response.json as AuthenticationResponseJSON,
    ...expecting(site, challenge),
    credential: { id, counter, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')) },
  }).catch(() => null);
  if (!verified?.verified) throw notThisPasskey();
  return verified.authenticationInfo.newCounter;
}

export function notThisPasskey(): InvalidInputError {
  return new InvalidInputError('response', 'This passkey was not accepted. Begin again, and use one of your account.');
}

// Ed25519, P-256 and RSA: what authenticators make; every supported Node.js checks them.
const supportedAlgorithmIDs = [-8, -7, -257];

function expecting({ rpId, origin }: PasskeySite, expectedChallenge: string) {
  return { expectedChallenge, expectedOrigin: origin, expectedRPID: rpId, requireUserVerification: true };
}

function toDescriptor({ credentialId: id, transports }: StoredCredential) {
  return { id, ...(transports !== '' && { transports: transports.split(',') }) };
}
