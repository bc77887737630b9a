import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** What is kept for a reader or a disk that takes nothing for a while: some ten thousand lines. Further ones are dropped. */
const keptBytesMax = 8 * 1024 * 1024;
/** What is written at once; Docker reads no more. */
const pieceBytesMax = 16 * 1024;
/** More than the line takes that says how many were dropped. */
const noticeBytesMax = 4 * 1024;
const retryMs = 100;
/** For so long lines gather before they are written: each write goes through a thread of its own, which costs 30 to 55 µs. */
const gatherMs = 10;
/** How long the end of the process may wait to write what is kept. */
const exitMsMax = 2_000;
const terminalGone: ReadonlySet<string | undefined> = new Set(['EIO', 'EPIPE']);
const passing: ReadonlySet<string | undefined> = new Set(['EAGAIN', 'EBUSY']);
/** All of this process. */
const outputs = new Set<LogOutput>();

/**
 * A descriptor as the output of a log, without waiting for whoever reads it. Lines are written together, 10 ms after the first. Whatever it refuses, a full disk or a reader that stands
 * still, ends no call and never the process: what was not taken is kept, up to 8 MB, and offered again every 100 ms; further lines are
 * dropped. A terminal that was closed is written to no more. What is kept when the process ends is offered then, for two seconds at
 * most, and given up at once where it is refused for another reason than a slow reader.
 */
export class LogOutput implements DestinationStream {
  /** What is being written, or is to be next; empty: nothing. */
  #piece: Buffer = Buffer.alloc(0);
  /** What comes after it. */
  #lines: string[] = [];
  /** Of both. */
  #keptBytes = 0;
  #droppedLines = 0;
  #state: 'idle' | 'gathering' | 'writing' | 'pausing' | 'ending' | 'gone' = 'idle';

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
    if (this.#state === 'gone') return;
    const bytes = Buffer.byteLength(line);
    if (this.#keptBytes + bytes > keptBytesMax) {
      this.#droppedLines += 1;
      return;
    }
    this.#lines.push(line);
    this.#keptBytes += bytes;
    if (this.#state === 'idle') this.#gather();
  }

  #gather(): void {
    this.#state = 'gathering';
    setTimeout(() => this.#writeNext(), gatherMs).unref();
  }

  #writeNext(): void {
    this.#state = 'writing';
    write(this.descriptor, this.#nextPiece(), (error, writtenBytes) => {
      if (error) return this.#pauseAfter(error);
      this.#state = 'idle';
      this.#take(writtenBytes);
      if (this.#state !== 'idle' || this.#keptBytes === 0) return;
      if (this.#keptBytes < pieceBytesMax) this.#gather();
      else this.#writeNext();
    });
  }

  #pauseAfter({ code }: NodeJS.ErrnoException): void {
    if (terminalGone.has(code)) {
      this.#state = 'gone';
      this.#lines = [];
      return;
    }
    this.#state = 'pausing';
    setTimeout(() => this.#writeNext(), retryMs).unref();
  }

  /** What is left of the last piece, or one of the lines that come next. */
  #nextPiece(): Buffer {
    if (this.#piece.length > 0) return this.#piece;
    let count = 0;
    for (let length = 0; count < this.#lines.length && (count === 0 || length <= pieceBytesMax); count += 1) {
      length += this.#lines[count]?.length ?? 0;
    }
    this.#piece = Buffer.from(this.#lines.splice(0, count).join(''));
    return this.#piece;
  }

  #take(writtenBytes: number): void {
    this.#piece = this.#piece.subarray(writtenBytes);
    this.#keptBytes -= writtenBytes;
    const lines = this.#droppedLines;
    if (lines === 0 || this.#keptBytes > keptBytesMax - noticeBytesMax) return;
    this.#droppedLines = 0;
    this.onDropped(lines);
  }

  /** Writes what is kept, at the end of the process. */
  writeLast(): void {
    if (this.#state === 'gone') return;
    // The pool of threads still ends what it has begun.
    if (this.#state === 'writing') this.#take(this.#piece.length);
    this.#state = 'ending';
    const endsAtMs = performance.now() + exitMsMax;
    while (this.#keptBytes > 0 && performance.now() < endsAtMs) {
      try {
        this.#take(writeSync(this.descriptor, this.#nextPiece()));
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
