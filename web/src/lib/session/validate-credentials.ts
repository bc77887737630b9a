import { hasVisible } from '../format/visible-name';

const passwordLengthMin = 8;
const passwordLengthMax = 128;
const nameLengthMax = 100;

/** Words for what is wrong with an e-mail address, or null. Only the server knows whether it is taken. */
export function emailFault(email: string): string | null {
  return /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(email.trim())
    ? null
    : 'Enter an e-mail address such as ada@example.com.';
}

/** Words for what is wrong with a password of 8 to 128 characters, or null. */
export function passwordFault(password: string): string | null {
  const length = [...password].length;
  if (length < passwordLengthMin) return `Use at least ${passwordLengthMin} characters.`;
  return length > passwordLengthMax ? `Use at most ${passwordLengthMax} characters.` : null;
}

/** Words for what is wrong with the name of a person or a key, or null. */
export function nameFault(name: string): string | null {
  const length = [...name.trim()].length;
  if (length === 0) return 'Enter a name.';
  if (!hasVisible(name)) return 'Enter a name with visible characters.';
  return length > nameLengthMax ? `Use at most ${nameLengthMax} characters.` : null;
}
