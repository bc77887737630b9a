import { z } from 'zod';
import { Secret } from '../kernel/secret.js';
import { secret } from '../kernel/settings/secret-setting.js';
import { serviceAddress } from '../kernel/settings/setting-shapes.js';

export const mailShape = {
  SMTP_URL: secret(
    serviceAddress(
      /^smtps?:$/,
      /^\/?$/,
      'must be smtp://user:password@host:587 or smtps://…, with % as %25 in the password',
    ).optional(),
  ),
  MAIL_FROM: z
    .string()
    .regex(/^([^<>\r\n]+<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/, 'must be an e-mail address, or Name <address>')
    .optional(),
  OPERATOR_EMAIL: z.email().optional(),
};

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
