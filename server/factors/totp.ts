import { Secret, TOTP } from 'otpauth';

const stepMs = 30_000;
/** Codes of so many periods before and after this one are taken, for clocks that differ. */
const stepsAside = 1;
/** 160 bits, as RFC 4226 recommends. */
const secretBytes = 20;

/** A new secret in Base32, as authenticator apps take it. */
export function createTotpSecret(): string {
  return new Secret({ size: secretBytes }).base32;
}

/** The address by which an authenticator app takes a secret over. */
export function totpUri(secret: string, label: string): string {
  return totpOf(secret, label).toString();
}

/** The period of 30 seconds whose code this is, of those that are taken at this moment; null: of none. */
export function findTotpStep(secret: string, code: string, nowMs: number): number | null {
  const delta = totpOf(secret).validate({ token: code, timestamp: nowMs, window: stepsAside });
  return delta === null ? null : Math.floor(nowMs / stepMs) + delta;
}

/** The code of a moment: six digits. */
export function totpCodeAt(secret: string, nowMs: number): string {
  return totpOf(secret).generate({ timestamp: nowMs });
}

function totpOf(secret: string, label = 'account'): TOTP {
  // What every app takes; some take nothing else.
  const usual = { algorithm: 'SHA1', digits: 6, period: stepMs / 1_000 };
  return new TOTP({ ...usual, issuer: 'Tollgate', label, secret: Secret.fromBase32(secret) });
}
