import { AppError } from '../kernel/app-error.js';
import { findFileMark } from '../kernel/folders.js';
import { findTrueName, isSqliteFileTaken } from './claim-sqlite-file.js';

export interface SqliteFilePlaceOptions {
  /** Told once when the file is found to be gone from its place, and once when it is back; nobody by default. */
  readonly tell?: (isInPlace: boolean) => void;
}

/**
 * The place in which a SQLite file was opened, with its write-ahead log beside it. Who has a file open goes on in it wherever it is moved
 * to, also when another one is laid in its place: what is written then is lost to everybody who comes later. SQLite itself does not look
 * for that in WAL mode. What is in a log that was removed comes into the file when its server ends by itself, and is lost when it is killed.
 */
export class SqliteFilePlace {
  #opened: string | null;
  // Known from the first commit on: SQLite removes the log with its last connection, and before that commit one may be the last.
  #openedLog: string | null = null;
  // Beside the file itself, not beside a link to it; a link that is led elsewhere later leads to another file.
  #logName: string | null = null;
  #isToldMoved = false;

  /** @param file Is open already, or opened next. */
  constructor(
    readonly file: string,
    private readonly options: SqliteFilePlaceOptions = {},
  ) {
    this.#opened = findFileMark(file);
  }

  /**
   * Costs some microseconds, so that it can be asked before each commit.
   * @throws AppError `service_unavailable` while the place of the file or its log is empty, or has another one than at first; and from when on
   *   another server works on it.
   */
  assertInPlace(): void {
    const found = findFileMark(this.file);
    this.#opened ??= found;
    if (found !== null) this.#logName ??= `${findTrueName(this.file)}-wal`;
    const foundLog = this.#logName === null ? null : findFileMark(this.#logName);
    this.#openedLog ??= foundLog;
    const isInPlace = found !== null && found === this.#opened && foundLog === this.#openedLog;
    if (isInPlace === this.#isToldMoved) {
      this.#isToldMoved = !isInPlace;
      this.options.tell?.(isInPlace);
    }
    const isTaken = isSqliteFileTaken(this.file);
    if (isInPlace && !isTaken) return;
    throw new AppError(
      'service_unavailable',
      'The server has lost its database; nothing was charged. Try again shortly.',
      {
        retryAfterMs: 5_000,
        innerReason: isTaken
          ? `Another server has come to work on ${this.file}, whose lock was removed.`
          : `Another file than the one that is open lies at ${this.file} or ${this.#logName ?? `${this.file}-wal`}, or none.`,
      },
    );
  }
}
