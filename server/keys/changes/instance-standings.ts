import type { ChangeStanding, InstanceStanding } from './key-change-log.js';

interface Sighting {
  readonly beats: number;
  /** When this number of beats was first seen here. */
  readonly sinceMs: number;
  /** When it was last looked for and still the same. */
  readonly lookedMs: number;
  readonly changeRead: number;
}

/**
 * What one process has seen of all instances, by its own monotonic clock: an instance whose beats stand still has lost its right
 * a known time after they were first seen, whatever any other clock says.
 */
export class InstanceStandings {
  #sightings = new Map<string, Sighting>();
  #askedMs = Number.NEGATIVE_INFINITY;

  /** Takes in one look; one that was begun before another one is no news. @param askedMs before it was asked for. @param answeredMs when it was there. */
  see({ instances }: ChangeStanding, { askedMs, answeredMs }: { askedMs: number; answeredMs: number }): void {
    if (askedMs < this.#askedMs) return;
    this.#askedMs = askedMs;
    const before = this.#sightings;
    this.#sightings = new Map(
      instances.map(({ id, beats, changeRead }) => {
        const earlier = before.get(id);
        const sinceMs = earlier?.beats === beats ? earlier.sinceMs : answeredMs;
        return [id, { beats, sinceMs, lookedMs: Math.max(askedMs, sinceMs), changeRead }];
      }),
    );
  }

  /** Whether each instance but `ownId` has read a change, or has given no sign of life for `lostMs`. */
  haveRead(number: number, { ownId, lostMs }: { readonly ownId: string; readonly lostMs: number }): boolean {
    return [...this.#sightings].every(
      ([id, { sinceMs, lookedMs, changeRead }]) => id === ownId || changeRead >= number || lookedMs - sinceMs >= lostMs,
    );
  }

  /** Those that have given no sign of life for so long. */
  listSilent(silentMs: number): Pick<InstanceStanding, 'id' | 'beats'>[] {
    return [...this.#sightings]
      .filter(([, { sinceMs, lookedMs }]) => lookedMs - sinceMs >= silentMs)
      .map(([id, { beats }]) => ({ id, beats }));
  }

  /** The last change that all of them have read; 0 when there are none. */
  get readByAll(): number {
    const numbers = [...this.#sightings.values()].map(({ changeRead }) => changeRead);
    return numbers.length === 0 ? 0 : Math.min(...numbers);
  }
}
