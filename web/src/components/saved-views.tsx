import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { findListStorage } from '../lib/kept-list';
import { dropView, keepView, readViews, type SavedView } from '../lib/saved-views';
import { SavedItems } from './saved-items';

interface SavedViewsProps {
  /** Whose views: each page has its own. */
  page: string;
  /** What one calls them: "Saved filters". */
  label: string;
  /** Names in the address that belong to no view, such as an open receipt. */
  without?: readonly string[];
}

/** Keeps what the address says under a name, in this browser, and leads back to it. */
export function SavedViews({ page, label, without = [] }: SavedViewsProps) {
  const [search, setSearch] = useSearchParams();
  const [views, setViews] = useState<readonly SavedView[]>(() => readViews(findListStorage(), page));

  function save(name: string) {
    const kept = new URLSearchParams(search);
    for (const one of without) kept.delete(one);
    setViews(keepView(findListStorage(), page, { name, search: kept.toString() }));
  }
  return (
    <SavedItems
      label={label}
      nameLabel="Name of this view"
      emptyText="None yet. They are kept in this browser, 20 at most."
      names={views.map(({ name }) => name)}
      onOpen={(name) => setSearch(new URLSearchParams(views.find((view) => view.name === name)?.search))}
      onDelete={(name) => setViews(dropView(findListStorage(), page, name))}
      onSave={save}
    />
  );
}
