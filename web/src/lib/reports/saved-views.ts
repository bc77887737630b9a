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

/** The saved views of one page in this browser, 20 at most. */
export function readViews(storage: ListStorage | null, page: string): readonly SavedView[] {
  return readList(storage, viewsOf(page));
}

/** Keeps a view; one of the same name is replaced. Nothing is kept of a search over 2,000 characters, nor beside 20 others. */
export function keepView(storage: ListStorage | null, page: string, view: SavedView): Keeping<SavedView> {
  return keepInList(storage, viewsOf(page), view);
}

/** Takes a view away. @returns the views that are left. */
export function dropView(storage: ListStorage | null, page: string, name: string): readonly SavedView[] {
  return dropFromList(storage, viewsOf(page), name);
}

/** The search of a view that the account keeps; '' where it has none that can be read. */
export function readSharedView(content: string): string {
  const { search } = readContent(content);
  return typeof search === 'string' ? search : '';
}

function viewsOf(page: string): ListKind<SavedView> {
  return { key: `tollgate.views.${page}`, itemsMax: viewsMax, isItem: isView };
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null) return false;
  const { name, search } = value as Record<string, unknown>;
  return isItemName(name) && typeof search === 'string' && search.length <= searchLengthMax;
}
