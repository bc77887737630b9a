import { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import { graphqlErrorSentence } from '../graphql-error-message';

/** The browser, or whoever sits there, used no passkey; the server was not asked. Its message says what happened and what to do. */
export class PasskeyUnusedError extends Error {
  override readonly name = 'PasskeyUnusedError';
}

/** Whether this browser knows passkeys at all; it does on pages that nobody can listen to. */
export function canUsePasskeys(): boolean {
  return typeof window.PublicKeyCredential === 'function';
}

/**
 * Lets the browser make a passkey.
 * @param options As the server gave them, JSON.
 * @returns What the server wants to see, JSON.
 * @throws PasskeyUnusedError where the browser makes none.
 */
export function makePasskey(options: string): Promise<string> {
  return askBrowser(options, (optionsJSON) => startRegistration({ optionsJSON }));
}

/** Lets a passkey sign; options, answer and errors are those of `makePasskey`. */
export function signWithPasskey(options: string): Promise<string> {
  return askBrowser(options, (optionsJSON) => startAuthentication({ optionsJSON }));
}

/** One sentence for whatever went wrong between browser, passkey and server. */
export function passkeyFault(error: unknown): string {
  return error instanceof PasskeyUnusedError ? error.message : graphqlErrorSentence(error);
}

// biome-ignore lint/suspicious/noExplicitAny: as the server and the library know them
async function askBrowser(options: string, ask: (optionsJSON: any) => Promise<unknown>): Promise<string> {
  let host: string | undefined;
  try {
    const optionsJSON = JSON.parse(options);
    host = optionsJSON.rp?.id ?? optionsJSON.rpId;
    return JSON.stringify(await ask(optionsJSON));
  } catch (cause) {
    throw new PasskeyUnusedError(describeFault(cause instanceof Error ? cause.name : '', host), { cause });
  }
}

function describeFault(name: string, host = 'the address of this server'): string {
  if (name === 'InvalidStateError') return 'This device has a passkey of your account already.';
  // The browser tells a person who cancels from one without a passkey to nobody.
  if (name === 'NotAllowedError' || name === 'AbortError') return 'No passkey was used. Try again, or use another way.';
  if (name === 'SecurityError') return `Passkeys work at ${host} only. Open Tollgate there, or use another way.`;
  return 'This browser could not use a passkey. Try another browser or device, or another way.';
}
