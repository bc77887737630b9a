import { useQuery } from '@apollo/client/react';
import { UnstyledButton } from '@mantine/core';
import { useEffect, useState } from 'react';
import { IconX } from '../../components/icons';
import { graphql } from '../../gql';
import { findLocalStorage } from '../../lib/browser-storage';
import { formatAbsoluteTime } from '../../lib/format/format-time';
import {
  type KeptAnnouncement as Announcement,
  keepAnnouncements,
  readKeptAnnouncements,
} from '../../lib/kept-announcements';
import { dropFromList, keepInList, type ListKind, readList } from '../../lib/kept-list';
import classes from './announcements.module.css';

const AnnouncementsDocument = graphql(`
  query Announcements {
    announcements {
      id
      isMaintenance
      text
      startsAt
      endsAt
    }
  }
`);

/** The first page is there and at rest by then. */
const askAfterMs = 1_500;
const pollMs = 60_000;
/** News that this reader has closed, by id. */
const closedNews: ListKind<{ readonly name: string }> = {
  key: 'closed-news',
  itemsMax: 50,
  isItem: (value): value is { readonly name: string } =>
    typeof value === 'object' && value !== null && typeof (value as { name?: unknown }).name === 'string',
};

/**
 * What the operators of this server tell everybody. News can be closed for ever; maintenance stays as long as it lasts. What was known
 * before stands there from the first moment, so that a page moves once for each announcement, and not each time that it is loaded.
 */
export function Announcements() {
  const [isDue, setIsDue] = useState(false);
  const [kept] = useState(() => readKeptAnnouncements(findLocalStorage(), new Date()));
  useEffect(() => {
    const timer = setTimeout(() => setIsDue(true), askAfterMs);
    return () => clearTimeout(timer);
  }, []);
  const { data } = useQuery(AnnouncementsDocument, {
    skip: !isDue,
    pollInterval: pollMs,
    skipPollAttempt: () => document.hidden,
  });
  const [closedIds, setClosedIds] = useState(
    () => new Set(readList(findLocalStorage(), closedNews).map(({ name }) => name)),
  );
  useEffect(() => {
    if (data) keepAnnouncements(findLocalStorage(), data.announcements);
  }, [data]);
  const all: readonly Announcement[] = data?.announcements ?? kept;
  const news = all.filter((one) => !one.isMaintenance && !closedIds.has(one.id));
  const shown = [...all.filter(({ isMaintenance }) => isMaintenance), ...news];
  if (shown.length === 0) return null;
  const close = (id: string) => {
    // The oldest makes room: what is over comes no more.
    const storage = findLocalStorage();
    const kept = readList(storage, closedNews);
    if (kept.length >= closedNews.itemsMax) dropFromList(storage, closedNews, kept[0]?.name ?? '');
    keepInList(storage, closedNews, { name: id });
    setClosedIds(new Set([...closedIds, id]));
  };
  return (
    <section aria-label="Announcements" className={classes.list}>
      {shown.map((one) => (
        <div key={one.id} className={classes.one} data-maintenance={one.isMaintenance || undefined}>
          <p role="status">
            {one.isMaintenance && <strong>{describeMaintenance(one)} </strong>}
            {one.text}
            {one.isMaintenance && ' New calls are refused until it ends, at no cost. Running calls finish as usual.'}
          </p>
          {!one.isMaintenance && (
            <UnstyledButton
              className={classes.close}
              onClick={() => close(one.id)}
              aria-label="Close this announcement"
            >
              <IconX size={18} aria-hidden />
            </UnstyledButton>
          )}
        </div>
      ))}
    </section>
  );
}

function describeMaintenance({ startsAt, endsAt }: Announcement): string {
  const end = typeof endsAt === 'string' ? ` to ${formatAbsoluteTime(endsAt)}` : '';
  return `Maintenance from ${formatAbsoluteTime(startsAt)}${end}:`;
}
