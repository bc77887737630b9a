/** There was no connection to be had in time. */
export class BusyPoolError extends Error {
  override readonly name = 'BusyPoolError';
  readonly code = 'POOL_BUSY';
}

/** A connection was cut on which nothing came although something was asked. */
export class SilentConnectionError extends Error {
  readonly code = 'ETIMEDOUT';
  readonly syscall = 'wait';

  constructor(silenceMs: number) {
    super(`The database has said nothing for ${silenceMs} ms.`);
  }
}
