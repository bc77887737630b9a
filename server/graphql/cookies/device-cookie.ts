import type { Request, Response } from 'express';
import { deviceLifetimeMs, deviceTokensMax } from '../../accounts/sign-in/known-devices.js';
import { GuardedCookie } from './guarded-cookie.js';

/**
 * The cookie by which a browser is known again when it signs in: the tokens of the last few accounts that did. It opens
 * nothing by itself. It is kept when the session ends.
 */
export class DeviceCookie {
  readonly #cookie: GuardedCookie;

  constructor(publicUrl: string) {
    this.#cookie = new GuardedCookie(publicUrl, { name: 'device', lifetimeMs: deviceLifetimeMs });
  }

  /** What has not the form of a token is not looked up. */
  read(request: Request): readonly string[] {
    const tokens = (this.#cookie.read(request) ?? '').split('.');
    return tokens.filter((token) => /^[\w-]{43}$/.test(token)).slice(0, deviceTokensMax);
  }

  set(response: Response, tokens: readonly string[]): void {
    this.#cookie.set(response, tokens.join('.'));
  }
}
