import { withinMs } from './within-ms.js';

export interface PoolWork {
  /** What is never done twice at once. */
  readonly key: string;
  /** Whose share it is counted to. */
  readonly owner: string;
  readonly run: () => Promise<void>;
}

export interface FairPoolParts {
  readonly atOnceMax: number;
  readonly ofOneOwnerMax: number;
  readonly onFailure: (error: unknown) => void;
}

/** A webhook has five seconds, and is noted then. */
const closeTimeoutMs = 6_000;

/** Does several pieces of work at once, but few of one owner: what takes long keeps its own places, and no others. */
export class FairPool {
  #offered: PoolWork[] = [];
  readonly #ownerOf = new Map<string, string>();
  readonly #underWay = new Set<Promise<void>>();
  #isClosed = false;

  constructor(private readonly parts: FairPoolParts) {}

  /** Begins what there is room for, in this order, and the others as room comes. They take the place of those offered before and not begun. */
  offer(work: readonly PoolWork[]): void {
    if (this.#isClosed) return;
    this.#offered = [...work];
    this.#begin();
  }

  /** Waits until nothing is under way and nothing offered. */
  async settle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Begins nothing more, and lets what is under way end, for six seconds at most. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#offered = [];
    await withinMs(closeTimeoutMs, this.settle(), 'It takes longer.').catch(() => {});
  }

  #begin(): void {
    while (this.#underWay.size < this.parts.atOnceMax) {
      const index = this.#offered.findIndex((work) => this.#hasRoom(work));
      const [work] = index === -1 ? [] : this.#offered.splice(index, 1);
      if (work === undefined) return;
      this.#ownerOf.set(work.key, work.owner);
      const doing = work
        .run()
        .catch(this.parts.onFailure)
        .then(() => {
          this.#ownerOf.delete(work.key);
          this.#underWay.delete(doing);
          this.#begin();
        });
      this.#underWay.add(doing);
    }
  }

  #hasRoom({ key, owner }: PoolWork): boolean {
    if (this.#ownerOf.has(key)) return false;
    const ofOwner = [...this.#ownerOf.values()].filter((other) => other === owner).length;
    return ofOwner < this.parts.ofOneOwnerMax;
  }
}
