import { useReducer } from 'react';
import { useSearchParams } from 'react-router';
import { findLocalStorage } from '../../lib/browser-storage';
import { dropView, keepView, readSharedView, readViews, type ViewPage } from '../../lib/reports/saved-views';
import type { AccountItems } from '../../lib/use-account-items';
import { SavedItems } from './saved-items';

interface SavedViewsProps {
  /** Whose views: each page has its own. */
  page: ViewPage;
  /** What one calls them: "Saved filters". */
  label: string;
  account: AccountItems;
  /** Names in the address that belong to no view, such as an open receipt. */
  without?: readonly string[];
}

/** Keeps what the address says under a name, in this browser or for all members of the account, and leads back to it. */
export function SavedViews({ page, label, account, without = [] }: SavedViewsProps) {
  const [search, setSearch] = useSearchParams();
  // Read each time: whose they are is known a moment after the page is shown.
  const [, readAgain] = useReducer((times: number) => times + 1, 0);
  const storage = account.owner === null ? null : findLocalStorage();
  const place = { page, owner: account.owner ?? '' };
  const views = readViews(storage, place);

  function writeSearch(): string {
    const kept = new URLSearchParams(search);
    for (const one of without) kept.delete(one);
    return kept.toString();
  }
  return (
    <SavedItems
      label={label}
      nameLabel="Name of this view"
      emptyText="None saved in this browser yet. It keeps up to 20."
      names={views.map(({ name }) => name)}
      onOpen={(name) => setSearch(new URLSearchParams(views.find((view) => view.name === name)?.search))}
      onDelete={(name) => {
        dropView(storage, place, name);
        readAgain();
      }}
      onSave={(name) => {
        const { fault } = keepView(storage, place, { name, search: writeSearch() });
        readAgain();
        return fault;
      }}
      account={{
        ...account,
        onOpen: ({ content }) => setSearch(new URLSearchParams(readSharedView(content))),
        onDelete: (name) => void account.remove(name),
        onSave: (name) => account.save(name, { search: writeSearch() }),
      }}
    />
  );
}
