import type { Mail } from './mailer.js';

export interface KeptMail extends Mail {
  readonly atMs: number;
}

const keptMax = 100;

/**
 * What would have been mailed, where a developer has no mail server: the last 100 mails of this process, in memory alone. They
 * hold secret links, so only whoever sits at this machine may read them.
 */
export class KeptMails {
  readonly #mails: KeptMail[] = [];

  keep(mail: Mail, atMs: number): void {
    this.#mails.unshift({ ...mail, atMs });
    if (this.#mails.length > keptMax) this.#mails.pop();
  }

  /** The newest first. */
  list(): readonly KeptMail[] {
    return [...this.#mails];
  }
}
