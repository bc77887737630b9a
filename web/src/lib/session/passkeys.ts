import { graphqlErrorSentence } from '../graphql-error-message';

// Its code is fetched when the first passkey is used.
const loadLibrary = () => import('@simplewebauthn/browser');

/** Whether this browser knows passkeys at all; it does on pages that nobody can listen to. */
export function canUsePasskeys(): boolean {
  return typeof window.PublicKeyCredential === 'function';
}

/**
 * Lets the browser make a passkey.
 * @param options As the server gave them, JSON.
 * @returns What the server wants to see, JSON.
 */
export async function makePasskey(options: string): Promise<string> {
  const { startRegistration } = await loadLibrary();
  return JSON.stringify(await startRegistration({ optionsJSON: JSON.parse(options) }));
}

/** Lets a passkey sign; options and answer are those of `makePasskey`. */
export async function signWithPasskey(options: string): Promise<string> {
  const { startAuthentication } = await loadLibrary();
  return JSON.stringify(await startAuthentication({ optionsJSON: JSON.parse(options) }));
}

/** One sentence for whatever went wrong between browser, passkey and server. */
export function passkeyFault(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  if (name === 'InvalidStateError') return 'This device has a passkey of your account already.';
  // The browser tells a person who cancels from one without a passkey to nobody.
  if (name === 'NotAllowedError' || name === 'AbortError') return 'No passkey was used. Try again, or another way.';
  return graphqlErrorSentence(error);
}
