import { AppError } from '../../kernel/app-error.js';

/** Room for one body, taken as it is needed. */
export interface BodyRoom {
  /**
   * Makes room for a body of so many bytes altogether; what was taken before counts in.
   * @throws AppError `concurrency_limit_exceeded` when its account has its share, `service_unavailable` when all is taken.
   */
  growTo(bytes: number): void;
  /** Makes room for so many bytes on top of what was taken. @throws AppError as `growTo`. */
  growBy(bytes: number): void;
  /**
   * Makes room for what can also be done without, and leaves half of each share to bodies. @returns false: there is none, and
   * nothing was taken.
   */
  tryGrowBy(bytes: number): boolean;
  /** Gives the room back; more than once is the same as once. */
  release(): void;
}

/** One account may fill this part of the room for all. */
const shareOfAccount = 1 / 4;
/** Larger bodies may fill this part: who only announces them must not keep out the small ones that most calls are. */
const shareOfLarge = 3 / 4;
const smallBytesMax = 256 * 1024;

/**
 * Bounds the bytes of request bodies that this process holds at once, over all callers: a body takes its room before it is
 * read, by its announced length, and keeps it until its request has ended. One account cannot take the room of all, nor can
 * large bodies take that of the small ones.
 */
export class BodyMemory {
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;

  /** @param bytesMax At least four times the largest body, so that each account's share holds one. */
  constructor(private readonly bytesMax: number) {}

  /** The bytes that are taken now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Begins a body, with no room yet. @param owner An account, or whatever else shares a part of the room. */
  open(owner: string): BodyRoom {
    let taken = 0;
    const growTo = (bytes: number) => {
      const more = bytes - taken;
      if (more <= 0) return;
      this.#take(owner, { more, whole: bytes });
      taken = bytes;
    };
    return {
      growTo,
      growBy: (bytes) => growTo(taken + bytes),
      tryGrowBy: (bytes) => {
        if (!this.#hasSpare(owner, bytes)) return false;
        growTo(taken + bytes);
        return true;
      },
      release: () => {
        if (taken > 0) this.#giveBack(owner, taken);
        taken = 0;
      },
    };
  }

  /**
   * Takes room for one body of known size. @returns what gives it back.
   * @throws AppError as `growTo`.
   */
  take(owner: string, bytes: number): () => void {
    const room = this.open(owner);
    room.growTo(bytes);
    return room.release;
  }

  #hasSpare(owner: string, bytes: number): boolean {
    const ofOwner = (this.#bytesOf.get(owner) ?? 0) + bytes;
    return ofOwner <= (this.bytesMax * shareOfAccount) / 2 && this.#bytes + bytes <= this.bytesMax / 2;
  }

  #take(owner: string, { more, whole }: { more: number; whole: number }): void {
    const ofOwner = (this.#bytesOf.get(owner) ?? 0) + more;
    if (ofOwner > this.bytesMax * shareOfAccount) {
      throw new AppError(
        'concurrency_limit_exceeded',
        `The bodies of this account's running calls come to more than ${toMegabytes(this.bytesMax * shareOfAccount)} MB. Wait for one of them to end.`,
        { retryAfterMs: 1_000 },
      );
    }
    const share = whole > smallBytesMax ? shareOfLarge : 1;
    if (this.#bytes + more > this.bytesMax * share) {
      throw new AppError('service_unavailable', 'The server is busy with large requests. Try again in a moment.', {
        retryAfterMs: 2_000,
      });
    }
    this.#bytesOf.set(owner, ofOwner);
    this.#bytes += more;
  }

  #giveBack(owner: string, bytes: number): void {
    this.#bytes -= bytes;
    const left = (this.#bytesOf.get(owner) ?? 0) - bytes;
    if (left > 0) this.#bytesOf.set(owner, left);
    else this.#bytesOf.delete(owner);
  }
}

function toMegabytes(bytes: number): number {
  return Math.floor(bytes / 1024 / 1024);
}
