import type { CookieOptions, Response } from 'express';
import { type AskingRequest, readCookie } from './session-cookie.js';

/** No longer than what it is the token of. */
const lifetimeMs = 10 * 60_000;

/**
 * The cookie that binds a sign-in to the browser that began it, until its second step. Guarded as the session cookie is, and
 * worth nothing by itself.
 */
export class StepCookie {
  readonly #name: string;
  readonly #options: CookieOptions;

  /** @param sameSite `lax` for one that has to come along when another site sends the browser back. */
  constructor(publicUrl: string, name = 'step', sameSite: 'strict' | 'lax' = 'strict') {
    const isSecure = publicUrl.startsWith('https:');
    this.#name = isSecure ? `__Host-${name}` : name;
    this.#options = { httpOnly: true, secure: isSecure, sameSite, path: '/' };
  }

  /** What has not the form of a token is not looked up. */
  read(request: AskingRequest): string | null {
    const token = readCookie(request, this.#name);
    return token !== null && /^[\w-]{43}$/.test(token) ? token : null;
  }

  set(response: Response, token: string): void {
    response.cookie(this.#name, token, { ...this.#options, maxAge: lifetimeMs });
  }

  clear(response: Response): void {
    response.clearCookie(this.#name, this.#options);
  }
}
