import { Secret } from './secret.js';

/** By which server mail leaves, and from whom it is. */
export interface MailSettings {
  readonly smtpUrl: Secret;
  /** An address, or a name with an address in angle brackets. */
  readonly from: string;
}

/** null unless both are set: then mails are logged instead. */
export function readMailSettings(smtpUrl: string | undefined, from: string | undefined): MailSettings | null {
  return smtpUrl === undefined || from === undefined ? null : Object.freeze({ smtpUrl: new Secret(smtpUrl), from });
}
