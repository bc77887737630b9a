import { hasVisible } from './format/visible-name';

/** What this needs of the browser's `localStorage`. */
export type ListStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** A kind of things that are kept by name. */
export interface ListKind<Item extends { readonly name: string }> {
  /** Where they are kept. */
  readonly key: string;
  /** How many of them are kept. */
  readonly itemsMax: number;
  readonly isItem: (value: unknown) => value is Item;
}

/** A name has at most so many characters. */
export const itemNameLengthMax = 60;

/** What is kept, in the order of the names. What cannot be read counts as none; a browser that stores nothing keeps none. */
export function readList<Item extends { readonly name: string }>(
  storage: ListStorage | null,
  { key, itemsMax, isItem }: ListKind<Item>,
): readonly Item[] {
  try {
    const kept: unknown = JSON.parse(storage?.getItem(key) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isItem).slice(0, itemsMax) : [];
  } catch {
    return [];
  }
}

/** What became of a thing that was to be kept. */
export interface Keeping<Item> {
  /** The list as it is now. */
  readonly items: readonly Item[];
  /** Why the thing is not in it, for whoever wanted it kept; null: it is. */
  readonly fault: string | null;
}

/** Keeps a thing; one of the same name is replaced. The list is unchanged when it is full, or the thing is none of its kind. */
export function keepInList<Item extends { readonly name: string }>(
  storage: ListStorage | null,
  kind: ListKind<Item>,
  item: Item,
): Keeping<Item> {
  const named = { ...item, name: item.name.trim().slice(0, itemNameLengthMax) };
  const kept = readList(storage, kind);
  const others = kept.filter((other) => other.name !== named.name);
  if (!kind.isItem(named) || !hasVisible(named.name))
    return { items: kept, fault: 'This is empty or too long to save.' };
  if (others.length >= kind.itemsMax) {
    return { items: kept, fault: `This browser keeps up to ${kind.itemsMax}. Delete one first.` };
  }
  const items = write(
    storage,
    kind,
    [...others, named].sort((one, other) => one.name.localeCompare(other.name)),
  );
  // Where the write failed, one of the same name from before may still be there.
  const isKept = items.some((one) => JSON.stringify(one) === JSON.stringify(named));
  return { items, fault: isKept ? null : 'This browser cannot save it: its storage is full or turned off.' };
}

/** Takes a thing away. @returns those that are left. */
export function dropFromList<Item extends { readonly name: string }>(
  storage: ListStorage | null,
  kind: ListKind<Item>,
  name: string,
): readonly Item[] {
  const left = readList(storage, kind).filter((item) => item.name !== name);
  return write(storage, kind, left);
}

/** Whether this is a name that a thing may have. */
export function isItemName(name: unknown): name is string {
  return typeof name === 'string' && name !== '' && name.length <= itemNameLengthMax;
}

/** What an account keeps under a name, as an object; an empty one where it cannot be read. */
export function readContent(content: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function write<Item extends { readonly name: string }>(
  storage: ListStorage | null,
  kind: ListKind<Item>,
  items: readonly Item[],
): readonly Item[] {
  try {
    storage?.setItem(kind.key, JSON.stringify(items));
  } catch {
    // Full or forbidden: then it is not kept, and the list says so.
  }
  return readList(storage, kind);
}
