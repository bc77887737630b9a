import { InvalidInputError } from '../../kernel/app-error.js';
import { isPrintable, isVisible } from '../../kernel/texts/printable-text.js';
import { isUsualEmail, normaliseEmail } from '../mailbox.js';
import { assertPasswordRules } from '../sign-in/password-rules.js';

const emailLengthMax = 191;
export const nameLengthMax = 100;

export interface SignUpFields {
  readonly email: string;
  readonly password: string;
  /** null or left out: the owner did not say. */
  readonly name?: string | null;
}

/** @throws InvalidInputError naming the first field that breaks a rule, and the rule. */
export function assertSignUpRules(input: SignUpFields): void {
  assertEmailRules('email', input.email);
  assertPasswordRules('password', input.password, [input.email, input.name ?? '']);
  if (input.name != null) assertNameRules(input.name);
}

/** What to call the owner of a new account: the name that was given, else what stands before the @ of the address. */
export function nameOfOwner({ name, email }: Pick<SignUpFields, 'email' | 'name'>): string {
  if (name != null) return name.trim();
  const [local = ''] = email.trim().split('@');
  return [...local].slice(0, nameLengthMax).join('');
}

/** @param field What the caller calls the address. @throws InvalidInputError naming it. */
export function assertEmailRules(field: string, address: string): void {
  if (!isVisible(address.trim())) {
    throw new InvalidInputError(field, 'This address holds characters that cannot be seen. Type it anew.');
  }
  const email = normaliseEmail(address);
  if (!isUsualEmail(email)) {
    const words = 'Enter an e-mail address such as ada@example.com, without quotes, comments, or numbers for a domain.';
    throw new InvalidInputError(field, words);
  }
  if (Math.max(email.length, address.trim().length) > emailLengthMax) {
    throw new InvalidInputError(field, `An e-mail address has at most ${emailLengthMax} characters.`);
  }
}

/** @throws InvalidInputError naming `name`. */
export function assertNameRules(name: string): void {
  const nameLength = countCharacters(name.trim());
  if (nameLength < 1 || nameLength > nameLengthMax || !isPrintable(name)) {
    throw new InvalidInputError(
      'name',
      `A name has 1 to ${nameLengthMax} printable characters, at least one of them visible.`,
    );
  }
}

// What a person counts: an emoji or a rare ideograph is one character, not two.
function countCharacters(text: string): number {
  return [...text].length;
}
