import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** What is kept for a reader or a disk that takes nothing for a while: some ten thousand lines. Further ones are dropped. */
const keptBytesMax = 8 * 1024 * 1024;
/** What is written at once; Docker reads no more. */
const pieceBytesMax = 16 * 1024;
/** More than the line takes that says how many were dropped. */
const noticeBytesMax = 4 * 1024;
const retryMs = 100;
/** How long the end of the process may wait to write what is kept. */
const exitMsMax = 2_000;
const terminalGone: ReadonlySet<string | undefined> = new Set(['EIO', 'EPIPE']);
const passing: ReadonlySet<string | undefined> = new Set(['EAGAIN', 'EBUSY']);
/** All of this process. */
const outputs = new Set<LogOutput>();

/**
 * A descriptor as the output of a log, without waiting for whoever reads it. Whatever it refuses, a full disk or a reader that stands
 * still, ends no call and never the process: what was not taken is kept, up to 8 MB, and offered again every 100 ms; further lines are
 * dropped. A terminal that was closed is written to no more. What is kept when the process ends is offered then, for two seconds at
 * most, and given up at once where it is refused for another reason than a slow reader.
 */
export class LogOutput implements DestinationStream {
  /** The first of it may be being written. */
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #droppedLines = 0;
  #state: 'idle' | 'writing' | 'pausing' | 'ending' | 'gone' = 'idle';

  /**
   * @param descriptor That of a pipe is to be one that does not block, as `process.stdout` makes it when it is first looked at.
   * @param onDropped Called with how many lines were dropped, once something was taken again.
   */
  constructor(
    private readonly descriptor: number,
    private readonly onDropped: (lines: number) => void,
  ) {
    outputs.add(this);
    // One listener for all: tests open many logs, and take away listeners between suites.
    if (!process.listeners('exit').includes(writeAllLast)) process.once('exit', writeAllLast);
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#state === 'gone') return;
    if (this.#keptBytes + bytes.length > keptBytesMax) {
      this.#droppedLines += 1;
      return;
    }
    this.#kept.push(bytes);
    this.#keptBytes += bytes.length;
    if (this.#state === 'idle') this.#writeNext();
  }

  #writeNext(): void {
    this.#state = 'writing';
    write(this.descriptor, this.#joinFirst(), (error, writtenBytes) => {
      if (error) return this.#pauseAfter(error);
      this.#state = 'idle';
      this.#take(writtenBytes);
      if (this.#state === 'idle' && this.#keptBytes > 0) this.#writeNext();
    });
  }

  #pauseAfter({ code }: NodeJS.ErrnoException): void {
    if (terminalGone.has(code)) {
      this.#state = 'gone';
      this.#kept = [];
      return;
    }
    this.#state = 'pausing';
    setTimeout(() => this.#writeNext(), retryMs).unref();
  }

  /** Makes one piece of the lines that are to be written next. */
  #joinFirst(): Buffer {
    let count = 0;
    for (let bytes = 0; count < this.#kept.length && (count === 0 || bytes <= pieceBytesMax); count += 1) {
      bytes += this.#kept[count]?.length ?? 0;
    }
    const piece = Buffer.concat(this.#kept.slice(0, count));
    this.#kept.splice(0, count, piece);
    return piece;
  }

  #take(writtenBytes: number): void {
    const [first] = this.#kept;
    if (first === undefined) return;
    this.#keptBytes -= writtenBytes;
    if (writtenBytes < first.length) this.#kept[0] = first.subarray(writtenBytes);
    else this.#kept.shift();
    const lines = this.#droppedLines;
    if (lines === 0 || this.#keptBytes > keptBytesMax - noticeBytesMax) return;
    this.#droppedLines = 0;
    this.onDropped(lines);
  }

  /** Writes what is kept, at the end of the process. */
  writeLast(): void {
    if (this.#state === 'gone') return;
    // The pool of threads still ends what it has begun.
    if (this.#state === 'writing') this.#keptBytes -= this.#kept.shift()?.length ?? 0;
    this.#state = 'ending';
    const endsAtMs = performance.now() + exitMsMax;
    while (this.#keptBytes > 0 && performance.now() < endsAtMs) {
      try {
        this.#take(writeSync(this.descriptor, this.#joinFirst()));
      } catch (error) {
        if (!passing.has((error as NodeJS.ErrnoException).code)) return;
        waitMs(retryMs / 5);
      }
    }
  }
}

function writeAllLast(): void {
  for (const output of outputs) output.writeLast();
}

function waitMs(durationMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);
}
