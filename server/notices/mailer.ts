import { createTransport } from 'nodemailer';
import type { MailSettings } from '../config/mail-settings.js';
import { withinMs } from '../kernel/jobs/within-ms.js';

export interface Mail {
  /** Stands in the message's id, so that a mail server can tell a repetition. */
  readonly id: string;
  readonly to: string;
  readonly title: string;
  readonly text: string;
}

export interface Mailer {
  /** @throws Error when the mail server did not take it, or not within a minute; it may then take it all the same. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** A mailer that can be tried. */
export interface SmtpMailer extends Mailer {
  /** Connects and signs in, and sends nothing. @throws Error when the mail server did not let us in. */
  verify(): Promise<void>;
}

const stepTimeoutMs = 10_000;

/** Sends plain text by SMTP; every step of the conversation is bounded to ten seconds, and a mail to a minute. */
export function createMailer(
  { smtpUrl, from }: MailSettings,
  publicUrl: string,
  { mailTimeoutMs = 60_000 }: { readonly mailTimeoutMs?: number } = {},
): SmtpMailer {
  const transport = createTransport({
    url: smtpUrl.reveal(),
    dnsTimeout: stepTimeoutMs,
    connectionTimeout: stepTimeoutMs,
    greetingTimeout: stepTimeoutMs,
    socketTimeout: stepTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ id, to, title, text }) {
      const messageId = `<${id}@${new URL(publicUrl).hostname}>`;
      // An object, and not text: a list of addresses hidden in one is not taken apart.
      const mail = { from, to: { name: '', address: to }, subject: title, text, messageId };
      // A server that says a little every few seconds ends no step's time.
      await withinMs(mailTimeoutMs, transport.sendMail(mail), 'The mail server took too long over the mail.');
    },
    verify: async () => {
      await transport.verify();
    },
    close: () => transport.close(),
  };
}
