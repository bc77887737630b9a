import { findLocalStorage } from '../browser-storage';

const storageKey = 'tollgate.series-colors';
/** How many colours `global.css` has for series, beside the grey of "all others". */
export const colorCount = 12;
const remembered = 200;

/** What this needs of the browser's `localStorage`. */
export type ColorStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** What is drawn: a model, a provider, a key …, or two of them at once. The same id in two dimensions is two series. */
export type SeriesDimension = 'model' | 'provider' | 'key' | 'tag' | 'user' | 'status' | 'pair';

/**
 * Gives each series one colour that is its own wherever it is drawn: whatever else is shown, and however large it is there.
 * A series takes the colour that its name leads to, or the next that none has yet; from the thirteenth on colours are shared, but
 * not within one chart.
 */
export class SeriesColors {
  readonly #numbers: Map<string, number>;

  /** @param storage keeps the colours for the next visit; null: they last as long as the page. */
  constructor(private readonly storage: ColorStorage | null) {
    this.#numbers = readNumbers(storage);
  }

  /** A whole number from 0 to 11, always the same for the same series. */
  numberOf(dimension: SeriesDimension, id: string): number {
    const name = `${dimension} ${id}`;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#findFree(dimension, hash(id) % colorCount);
    if (this.#numbers.size < remembered) this.#numbers.set(name, number);
    this.#keep();
    return number;
  }

  /**
   * The numbers of all series of one chart, each another one as long as there are enough. Of two that share a colour the first keeps
   * it, and the other one has a free one in this chart alone.
   */
  numbersOf(dimension: SeriesDimension, ids: readonly string[]): readonly number[] {
    const own = ids.map((id) => this.numberOf(dimension, id));
    const isFirst = own.map((number, at) => own.indexOf(number) === at);
    const taken = new Set(own);
    return own.map((number, at) => {
      if (isFirst[at]) return number;
      const free = nextFree(number, taken);
      taken.add(free);
      return free;
    });
  }

  #findFree(dimension: SeriesDimension, wanted: number): number {
    const taken = new Set(
      [...this.#numbers].filter(([name]) => name.startsWith(`${dimension} `)).map(([, number]) => number),
    );
    return nextFree(wanted, taken);
  }

  #keep(): void {
    try {
      this.storage?.setItem(storageKey, JSON.stringify([...this.#numbers]));
    } catch {
      // Full or forbidden: they last as long as the page.
    }
  }
}

/** The wanted number, or the next one that is not taken; where all are, the wanted one. */
function nextFree(wanted: number, taken: ReadonlySet<number>): number {
  for (let step = 0; step < colorCount; step += 1) {
    const number = (wanted + step) % colorCount;
    if (!taken.has(number)) return number;
  }
  return wanted;
}

function readNumbers(storage: ColorStorage | null): Map<string, number> {
  try {
    const kept: unknown = JSON.parse(storage?.getItem(storageKey) ?? '[]');
    return new Map(Array.isArray(kept) ? kept.filter(isEntry).slice(0, remembered) : []);
  } catch {
    return new Map();
  }
}

function isEntry(entry: unknown): entry is [string, number] {
  if (!Array.isArray(entry)) return false;
  const [name, number] = entry;
  return typeof name === 'string' && Number.isInteger(number) && number >= 0 && number < colorCount;
}

function hash(text: string): number {
  let value = 7;
  for (const character of text) value = (value * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return value;
}

let ofThisBrowser: SeriesColors | null = null;

/** The grey of all others together. */
export const othersColor = 'var(--series-others)';

/** The colours of the series of one chart, as values of CSS; null is the grey of all others together. */
export function chartColors(dimension: SeriesDimension, ids: readonly (string | null)[]): readonly string[] {
  ofThisBrowser ??= new SeriesColors(findLocalStorage());
  const known = ids.filter((id) => id !== null);
  const numbers = ofThisBrowser.numbersOf(dimension, known);
  const colors = new Map(known.map((id, at) => [id, `var(--series-${(numbers[at] ?? 0) + 1})`]));
  return ids.map((id) => (id === null ? othersColor : (colors.get(id) ?? othersColor)));
}
