import type { IncomingHttpHeaders } from 'node:http';
import type { CookieOptions, Response } from 'express';

/** What tells who asks: the head of a request, and the address that it came from. */
export interface AskingRequest {
  readonly headers: IncomingHttpHeaders;
  readonly ip?: string | undefined;
}

interface CookieKind {
  readonly name: string;
  readonly lifetimeMs: number;
  /** `lax` for one that has to come along when another site sends the browser back; left out: `strict`. */
  readonly sameSite?: 'strict' | 'lax';
}

/**
 * A cookie that no script can read and, but for a `lax` one, no other site can send. Over HTTPS its name makes the browser refuse it to
 * subdomains and plain HTTP; plain HTTP, for trying out, cannot have that name.
 */
export class GuardedCookie {
  readonly #name: string;
  readonly #options: CookieOptions;
  readonly #lifetimeMs: number;

  constructor(publicUrl: string, { name, lifetimeMs, sameSite = 'strict' }: CookieKind) {
    const isSecure = publicUrl.startsWith('https:');
    this.#name = isSecure ? `__Host-${name}` : name;
    this.#lifetimeMs = lifetimeMs;
    this.#options = { httpOnly: true, secure: isSecure, sameSite, path: '/' };
  }

  read(request: AskingRequest): string | null {
    return readCookie(request, this.#name);
  }

  set(response: Response, token: string): void {
    response.cookie(this.#name, token, { ...this.#options, maxAge: this.#lifetimeMs });
  }

  clear(response: Response): void {
    response.clearCookie(this.#name, this.#options);
  }
}

/** The value of a cookie as it was sent; null: it is not there, or empty. */
function readCookie(request: AskingRequest, name: string): string | null {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const prefix = `${name}=`;
  return pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length) || null;
}
