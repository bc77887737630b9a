import { type AskingRequest, GuardedCookie } from './guarded-cookie.js';

/** No longer than what it is the token of. */
const lifetimeMs = 10 * 60_000;

/**
 * The cookie that binds a sign-in to the browser that began it, until its second step; worth nothing by itself.
 */
export class StepCookie extends GuardedCookie {
  constructor(publicUrl: string, kind: { readonly name: string; readonly sameSite?: 'lax' } = { name: 'step' }) {
    super(publicUrl, { ...kind, lifetimeMs });
  }

  /** What has not the form of a token is not looked up. */
  override read(request: AskingRequest): string | null {
    const token = super.read(request);
    return token !== null && /^[\w-]{43}$/.test(token) ? token : null;
  }
}
