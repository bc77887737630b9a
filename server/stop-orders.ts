import { closeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** Told of each order to stop. Its promise is not waited for. */
type Obey = (signal: NodeJS.Signals) => unknown;

const orders = ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const;

/**
 * Nobody who sends one of these means to break running streams, and each would end the process at once; but for SIGUSR1, at which Node.js
 * opens its inspector to every user of the machine, who then reads all that the process knows. What is left as it is: SIGKILL and
 * SIGSTOP, which nobody can catch; faults of the process itself and who wants its core (SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS);
 * what pauses one at its terminal; and what ends no process of Node.js.
 */
const ignored = [
  'SIGUSR1',
  'SIGUSR2',
  'SIGALRM',
  'SIGVTALRM',
  'SIGPROF',
  'SIGXCPU',
  'SIGIO',
  'SIGPWR',
  'SIGSTKFLT',
] as const;

/**
 * The orders to stop that this process gets, from the first moment on: by a supervisor, by Ctrl-C, or since its terminal was
 * closed. Other signals that would end it, or open it to others, are ignored; without a terminal SIGHUP, too, by which other servers are
 * told to read their settings or open their logs anew, and at whose end no supervisor would start this one again. Nothing is lost with a process that serves nobody yet, so an order ends it at once, and well; from `obeyBy` on each
 * order goes there instead.
 */
export class StopOrders {
  #obey: Obey = () => this.end(0);
  #isTerminalGone = false;
  readonly #ignored = new Set<NodeJS.Signals>();
  #tellIgnored: (signal: NodeJS.Signals) => unknown = () => {};
  readonly #terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor));

  constructor() {
    for (const signal of orders) process.on(signal, () => void this.#obey(signal));
    const hasTerminal = this.#terminals.length > 0;
    if (hasTerminal) {
      process.on('SIGHUP', () => {
        this.#isTerminalGone = true;
        void this.#obey('SIGHUP');
      });
    }
    for (const signal of hasTerminal ? ignored : [...ignored, 'SIGHUP' as const]) {
      process.on(signal, () => {
        // A limit of processor time sends one each second.
        if (this.#ignored.has(signal)) return;
        this.#ignored.add(signal);
        this.#tellIgnored(signal);
      });
    }
  }

  /** To be called before the process begins to serve: an order that comes while it begins is then obeyed as any later one. */
  obeyBy(obey: Obey): void {
    this.#obey = obey;
  }

  /** Tells once of each kind of signal that is ignored; at once of those that have come already. */
  tellIgnoredBy(tell: (signal: NodeJS.Signals) => unknown): void {
    this.#tellIgnored = tell;
    for (const signal of this.#ignored) tell(signal);
  }

  /** Ends the process with this status. */
  end(exitCode: number): never {
    // Node.js puts a terminal back as it was, and aborts where it is gone: then it must have none. After the log's last lines.
    if (this.#isTerminalGone) process.once('exit', () => this.#letGoOfTerminal());
    process.exit(exitCode);
  }

  #letGoOfTerminal(): void {
    for (const descriptor of this.#terminals) {
      try {
        closeSync(descriptor);
      } catch {
        // It is closed already.
      }
    }
  }
}

/** A word that cannot be written, to a terminal that was closed or onto a full disk, must not end the calls that run. */
export function outliveTerminal(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
