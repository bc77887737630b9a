import type { Request } from 'express';
import { networkOf } from '../../kernel/addresses/network-address.js';
import { AppError } from '../../kernel/app-error.js';

/** Room for one body, taken as it is needed. */
export interface BodyRoom {
  /** How large one body may be at most. */
  readonly largestBytes: number;
  /**
   * Makes room for a body of so many bytes altogether; what was taken before counts in.
   * @throws AppError `concurrency_limit_exceeded` when its account has its share, `service_unavailable` when all is taken,
   *   `request_too_large` when it would not fit though it were alone.
   */
  growTo(bytes: number): void;
  /** Makes room for so many bytes on top of what was taken. @throws AppError as `growTo`. */
  growBy(bytes: number): void;
  /**
   * Makes room for an answer whose size is not known yet: for so many bytes, or for what its account's share still has for this
   * request where that is less, so that a request that is alone is never kept out by its own answer. @throws AppError as `growTo`.
   */
  growForAnswer(bytes: number): void;
  /**
   * Makes room for what can also be done without, and leaves half of each share to bodies. @returns false: there is none, and
   * nothing was taken.
   */
  tryGrowBy(bytes: number): boolean;
  /** The answer goes to these as well: the room is given back once it is released and none of them is left. */
  holdFor(readers: RoomHolders): void;
  /** Gives the room back; more than once is the same as once. */
  release(): void;
}

/** Others for whom the memory of a call is held. */
export interface RoomHolders {
  /** Calls this once nobody is left, at once where that is so already. */
  whenNone(listener: () => void): void;
}

/** One account may fill this part of the room for all. */
const shareOfAccount = 1 / 4;
/** Larger bodies may fill this part: who only announces them must not keep out the small ones that most calls are. */
const shareOfLarge = 3 / 4;
const smallBytesMax = 256 * 1024;
/** Of what is held for an address where anybody may post, one network may have one part in so many, or one small body. */
const partsOfNetworks = 16;

/**
 * Bounds the bytes of request bodies, and of answers that come in one piece and may be large, that this process holds at once, over all callers: a body takes its room before it is
 * read, by its announced length, and keeps it until its request has ended. One account cannot take the room of all, nor can
 * large bodies take that of the small ones.
 */
export class BodyMemory {
  readonly #bytesOf = new Map<string, number>();
  /** Of each network at each address where anybody may post. */
  readonly #bytesFrom = new Map<string, number>();
  #bytes = 0;

  /** One account's share holds one body of the largest size. */
  readonly #bytesOfAccountMax: number;

  /** @param largestBytes The largest body, at most half of `bytesMax`; a quarter when left out. */
  constructor(
    private readonly bytesMax: number,
    private readonly largestBytes = bytesMax * shareOfAccount,
  ) {
    this.#bytesOfAccountMax = Math.max(bytesMax * shareOfAccount, largestBytes);
  }

  /** What may be held of bodies beside it, of calls that wait to be begun: once, where what is taken here may be held six times. */
  get bytesOfWaitingMax(): number {
    return this.bytesMax / 2;
  }

  /** The bytes that are taken now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Begins a body, with no room yet. @param owner An account, or whatever else shares a part of the room. */
  open(owner: string): BodyRoom {
    let taken = 0;
    let holders: RoomHolders | null = null;
    const giveBack = () => {
      if (taken > 0) this.#giveBack(owner, taken);
      taken = 0;
    };
    const growTo = (bytes: number) => {
      const more = bytes - taken;
      if (more <= 0) return;
      this.#take(owner, { more, whole: bytes });
      taken = bytes;
    };
    return {
      largestBytes: this.largestBytes,
      growTo,
      growForAnswer: (bytes) => growTo(Math.max(taken, Math.min(taken + bytes, this.#bytesOfAccountMax))),
      growBy: (bytes) => growTo(taken + bytes),
      tryGrowBy: (bytes) => {
        if (!this.#hasSpare(owner, bytes)) return false;
        growTo(taken + bytes);
        return true;
      },
      holdFor: (readers) => {
        holders = readers;
      },
      release: () => (holders === null ? giveBack() : holders.whenNone(giveBack)),
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

  /**
   * As `take`, at an address where anybody may post: a network that announces bodies and sends none does not close it to others.
   * @param owner The address, which has a share as an account has. @returns what gives it back; more than once is the same as once.
   * @throws AppError `concurrency_limit_exceeded` when that network has its part, `service_unavailable` when all is taken.
   */
  takeFrom(network: string, owner: string, bytes: number): () => void {
    const name = `${owner} ${network}`;
    const bytesMax = Math.max(this.#bytesOfAccountMax / partsOfNetworks, smallBytesMax);
    if ((this.#bytesFrom.get(name) ?? 0) + bytes > bytesMax) {
      const words = 'Your network sends as much at once as it may. Wait for some of it to end.';
      throw new AppError('concurrency_limit_exceeded', words, { retryAfterMs: 1_000 });
    }
    if ((this.#bytesOf.get(owner) ?? 0) + bytes > this.#bytesOfAccountMax) throw createBusy();
    const giveBack = this.take(owner, bytes);
    addTo(this.#bytesFrom, name, bytes);
    let isTaken = true;
    return () => {
      giveBack();
      if (isTaken) addTo(this.#bytesFrom, name, -bytes);
      isTaken = false;
    };
  }

  /** As `takeFrom`, by what a request says of itself: without a length it counts as the largest body of that address. */
  takeAnnounced({ ip, headers }: Pick<Request, 'ip' | 'headers'>, owner: string, bytesMax: number): () => void {
    const bytes = Math.min(Number(headers['content-length'] ?? bytesMax), bytesMax);
    return this.takeFrom(networkOf(ip ?? 'unknown'), owner, bytes);
  }

  #hasSpare(owner: string, bytes: number): boolean {
    const ofOwner = (this.#bytesOf.get(owner) ?? 0) + bytes;
    return ofOwner <= this.#bytesOfAccountMax / 2 && this.#bytes + bytes <= this.bytesMax / 2;
  }

  #take(owner: string, { more, whole }: { more: number; whole: number }): void {
    const ofOwner = (this.#bytesOf.get(owner) ?? 0) + more;
    const shareMb = toMegabytes(this.#bytesOfAccountMax);
    if (whole > this.#bytesOfAccountMax) {
      const words = `This request, with all that it refers to, is larger than ${shareMb} MB. Send less in it.`;
      throw new AppError('request_too_large', words);
    }
    if (ofOwner > this.#bytesOfAccountMax) {
      throw new AppError(
        'concurrency_limit_exceeded',
        `The bodies and answers of this account's running calls come to more than ${shareMb} MB. Wait for one of them to end.`,
        { retryAfterMs: 1_000 },
      );
    }
    const share = whole > smallBytesMax ? shareOfLarge : 1;
    if (this.#bytes + more > this.bytesMax * share) {
      throw createBusy();
    }
    addTo(this.#bytesOf, owner, more);
    this.#bytes += more;
  }

  #giveBack(owner: string, bytes: number): void {
    this.#bytes -= bytes;
    addTo(this.#bytesOf, owner, -bytes);
  }
}

function addTo(sums: Map<string, number>, name: string, bytes: number): void {
  const sum = (sums.get(name) ?? 0) + bytes;
  if (sum > 0) sums.set(name, sum);
  else sums.delete(name);
}

function createBusy(): AppError {
  const words = 'The server is busy with large requests. Try again in a moment.';
  return new AppError('service_unavailable', words, { retryAfterMs: 2_000 });
}

function toMegabytes(bytes: number): number {
  return Math.floor(bytes / 1024 / 1024);
}
