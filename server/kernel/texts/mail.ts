/** A mail that waits in the outbox (`server/notices/outbox.ts`), which says what its parts mean. */
export interface Mail {
  readonly subjectKey: string;
  readonly accountId: string | null;
  readonly channel: 'email';
  readonly recipient: string;
  readonly title: string;
  readonly body: string;
}

/** A mail that ends in a secret link, which is made when it is sent. */
export interface LinkMail extends Mail {
  readonly linkId: string;
}
