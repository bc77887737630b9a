import type { OperatorLog } from '../operator-log.js';
import { actorOf, type OperatorCaller } from '../people/operator-sessions.js';
import type { CheckFinding } from './check-list.js';

export interface SetupDeskParts {
  readonly log: OperatorLog;
  /** Looks at what this server rests on; each wait is bounded. */
  readonly examine: () => Promise<readonly CheckFinding[]>;
  /** Sends one mail by the mail server; null: none is set. */
  readonly sendMail: ((mail: { id: string; to: string; title: string; text: string }) => Promise<void>) | null;
  /** Has the payment service send an event, and waits for it, within a bound. */
  readonly tryPaymentEvent: () => Promise<EventTrial>;
}

/** Whether an event of the payment service came; else why not, with the remedy. */
export type EventTrial =
  | { readonly isReceived: true; readonly fault: null }
  | { readonly isReceived: false; readonly fault: string };

/** Whether a test mail went out; else why not, with the remedy. */
export type MailTrial =
  | { readonly isSent: true; readonly fault: null }
  | { readonly isSent: false; readonly fault: string };

/** What is missing before strangers can come, and what tries it. */
export class SetupDesk {
  #looking: Promise<readonly CheckFinding[]> | null = null;
  #trying: Promise<EventTrial> | null = null;

  constructor(private readonly parts: SetupDeskParts) {}

  /** Who asks meanwhile waits for the same look: it reaches out to other services. */
  look(): Promise<readonly CheckFinding[]> {
    this.#looking ??= this.parts.examine().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** Has the payment service send an event to this server. The log has it before it is asked for. Who asks meanwhile waits for the same one. */
  async sendTestEvent(by: OperatorCaller): Promise<EventTrial> {
    const { log, tryPaymentEvent } = this.parts;
    await log.by(actorOf(by)).note({ action: 'test_event', subject: by.operatorId, reason: 'A test event' });
    this.#trying ??= tryPaymentEvent().finally(() => {
      this.#trying = null;
    });
    return this.#trying;
  }

  /** Sends a mail to the operator who asks, and to nobody else. The log has it before it is sent. */
  async sendTestMail(by: OperatorCaller): Promise<MailTrial> {
    const { log, sendMail } = this.parts;
    const id = await log.by(actorOf(by)).note({ action: 'test_mail', subject: by.operatorId, reason: 'A test mail' });
    if (sendMail === null)
      return { isSent: false, fault: 'SMTP_URL is not set: mails stand in the log instead. Set it, and MAIL_FROM.' };
    const text = `This is the test mail that ${by.name} asked for in the console. Mails of this server arrive.\n`;
    try {
      await sendMail({ id, to: by.email, title: 'A test mail of Tollgate', text });
      return { isSent: true, fault: null };
    } catch (error) {
      const said = (error as Error).message.replaceAll(/\s+/g, ' ').slice(0, 300);
      return { isSent: false, fault: `The mail server did not take it: ${said}. Correct SMTP_URL or MAIL_FROM.` };
    }
  }
}
