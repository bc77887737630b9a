import {
  dropFromList,
  isItemName,
  type Keeping,
  keepInList,
  type ListKind,
  type ListStorage,
  readContent,
  readList,
} from '../kept-list';

/** A view that one comes back to: a name, and what the address says behind the question mark. */
export interface SavedView {
  readonly name: string;
  readonly search: string;
}

const viewsMax = 20;
const searchLengthMax = 2_000;

/** The pages that have saved views. */
export type ViewPage = 'requests' | 'explore' | 'gallery';

/** One page's views of one person in one account; `owner` as `ownerOf` names them. */
export interface ViewPlace {
  readonly page: ViewPage;
  readonly owner: string;
}

/** The saved views of one page in this browser, 20 at most. */
export function readViews(storage: ListStorage | null, place: ViewPlace): readonly SavedView[] {
  return readList(storage, viewsOf(place));
}

/** Keeps a view; one of the same name is replaced. Nothing is kept of a search over 2,000 characters, nor beside 20 others. */
export function keepView(storage: ListStorage | null, place: ViewPlace, view: SavedView): Keeping<SavedView> {
  return keepInList(storage, viewsOf(place), view);
}

/** Takes a view away. @returns the views that are left. */
export function dropView(storage: ListStorage | null, place: ViewPlace, name: string): readonly SavedView[] {
  return dropFromList(storage, viewsOf(place), name);
}

/** The search of a view that the account keeps; '' where it has none that can be read. */
export function readSharedView(content: string): string {
  const { search } = readContent(content);
  return typeof search === 'string' ? search : '';
}

function viewsOf({ page, owner }: ViewPlace): ListKind<SavedView> {
  return { key: `${keyOfAll(page)}.${owner}`, itemsMax: viewsMax, isItem: isView };
}

/**
 * Gives what was kept before views had owners to whoever's session goes on in this browser, and takes it away where that is not known:
 * it may be of anybody. To be called before a session is noted.
 */
export function giveViewsToOwner(storage: Storage | null, owner: string | null): void {
  for (const page of ['requests', 'explore'] as const) {
    const kept = storage?.getItem(keyOfAll(page)) ?? null;
    if (kept === null) continue;
    storage?.removeItem(keyOfAll(page));
    try {
      if (owner !== null) storage?.setItem(viewsOf({ page, owner }).key, kept);
    } catch {
      // Forbidden meanwhile: then it is not kept.
    }
  }
}

function keyOfAll(page: ViewPage): string {
  return `tollgate.views.${page}`;
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null) return false;
  const { name, search } = value as Record<string, unknown>;
  return isItemName(name) && typeof search === 'string' && search.length <= searchLengthMax;
}
