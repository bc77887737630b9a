/** Told of each order to stop. Its promise is not waited for. */
type Obey = (signal: NodeJS.Signals) => unknown;

const orders = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * The orders to stop that this process gets, from the first moment on: by a supervisor, by Ctrl-C, or since its terminal was
 * closed. Nothing is lost with a process that serves nobody yet, so an order ends it at once, and well; from `obeyBy` on each
 * order goes there instead.
 */
export class StopOrders {
  #obey: Obey = () => process.exit(0);

  constructor() {
    for (const signal of orders) process.on(signal, () => void this.#obey(signal));
  }

  /** To be called before the process begins to serve: an order that comes while it begins is then obeyed as any later one. */
  obeyBy(obey: Obey): void {
    this.#obey = obey;
  }
}

/** A word to a terminal that was closed must not end the calls that run: nobody is there to read it. */
export function outliveTerminal(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EIO' && error.code !== 'EPIPE') throw error;
    });
  }
}
