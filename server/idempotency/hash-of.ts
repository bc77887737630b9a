import { hash } from 'node:crypto';

/** The SHA-256 of a text, as hexadecimal digits. */
export function hashOf(text: string): string {
  return hash('sha256', text, 'hex');
}
