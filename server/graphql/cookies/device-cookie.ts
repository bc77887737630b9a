import type { CookieOptions, Request, Response } from 'express';
import { deviceLifetimeMs, deviceTokensMax } from '../../accounts/sign-in/known-devices.js';
import { readCookie } from './session-cookie.js';

/**
 * The cookie by which a browser is known again when it signs in: the tokens of the last few accounts that did. It opens
 * nothing by itself. Guarded as the session cookie is, and kept when the session ends.
 */
export class DeviceCookie {
  readonly #name: string;
  readonly #options: CookieOptions;

  constructor(publicUrl: string) {
    const isSecure = publicUrl.startsWith('https:');
    this.#name = isSecure ? '__Host-device' : 'device';
    this.#options = { httpOnly: true, secure: isSecure, sameSite: 'strict', path: '/', maxAge: deviceLifetimeMs };
  }

  /** What has not the form of a token is not looked up. */
  read(request: Request): readonly string[] {
    const tokens = (readCookie(request, this.#name) ?? '').split('.');
    return tokens.filter((token) => /^[\w-]{43}$/.test(token)).slice(0, deviceTokensMax);
  }

  set(response: Response, tokens: readonly string[]): void {
    response.cookie(this.#name, tokens.join('.'), this.#options);
  }
}
