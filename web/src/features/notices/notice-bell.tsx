import { ActionIcon, Anchor, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { paths } from '../../app/paths';
import { LoadingButton } from '../../components/buttons/loading-button';
import { ErrorPanel } from '../../components/error-panel';
import { IconBell } from '../../components/icons';
import { RelativeTime } from '../../components/relative-time';
import { type Notice, useNotices } from '../../lib/use-notices';
import classes from './notice-bell.module.css';

const listId = 'notice-list';
const shownMax = 8;
/** What is as new as that is not asked again when another page opens. */
const freshMs = 60_000;

/**
 * How many notifications whoever is signed in has not read, and the newest of them. It asks when a page opens, a minute after the
 * last time at the earliest, and when the list opens; nothing is asked while nobody does anything.
 */
export function NoticeBell() {
  const [isOpen, setIsOpen] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const { notices, unreadCount, error, refetch, markAll, isMarking } = useNotices();
  useAskedOnNewPages(refetch);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list closes whenever a page was chosen on it
  useEffect(() => {
    if (list.current?.matches(':popover-open')) list.current.hidePopover();
  }, [pathname]);

  function onToggle(isNowOpen: boolean) {
    setIsOpen(isNowOpen);
    if (isNowOpen) void refetch().catch(() => undefined);
  }
  const label = unreadCount === 0 ? 'Notifications' : `Notifications, ${unreadCount} unread`;
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        c="dimmed"
        size="lg"
        popoverTarget={listId}
        aria-label={label}
        title={label}
        className={classes.bell}
      >
        <IconBell size={19} aria-hidden />
        {unreadCount > 0 && (
          <span className={classes.count} aria-hidden="true">
            {unreadCount > 9 ? '9+' : unreadCount}
          </span>
        )}
      </ActionIcon>
      {/* The browser's own popover: it closes on Escape and on a press elsewhere. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would be a landmark of every page */}
      <div
        id={listId}
        ref={list}
        popover="auto"
        role="group"
        aria-label="Newest notifications"
        className={classes.list}
        onToggle={({ newState }) => onToggle(newState === 'open')}
      >
        {isOpen && (
          <>
            {error && !notices && (
              <ErrorPanel title="Notifications could not be loaded" error={error} onRetry={refetch} />
            )}
            {notices && <NewestNotices notices={notices} />}
            <div className={classes.acts}>
              <Anchor component={Link} to={paths.budgets()} size="sm" className="lone-link">
                All notifications
              </Anchor>
              {unreadCount > 0 && (
                <LoadingButton size="xs" variant="default" loading={isMarking} onClick={() => void markAll()}>
                  Mark {unreadCount} as read
                </LoadingButton>
              )}
            </div>
          </>
        )}
      </div>
    </>
  );
}

function useAskedOnNewPages(refetch: () => Promise<unknown>) {
  const { pathname } = useLocation();
  const askedAtMs = useRef(Date.now());
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked when the page changes, and at no other time
  useEffect(() => {
    if (Date.now() - askedAtMs.current < freshMs) return;
    askedAtMs.current = Date.now();
    void refetch().catch(() => undefined);
  }, [pathname]);
}

function NewestNotices({ notices }: { notices: readonly Notice[] }) {
  if (notices.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No notifications yet. Alerts of budgets, balance and top-ups appear here.
      </Text>
    );
  }
  return (
    <ul>
      {notices.slice(0, shownMax).map(({ id, title, at, isRead }) => (
        <li key={id} data-unread={!isRead}>
          <Text size="sm" fw={isRead ? 400 : 650}>
            {!isRead && 'New: '}
            {title}
          </Text>
          <Text size="xs" c="dimmed">
            <RelativeTime at={at} />
          </Text>
        </li>
      ))}
    </ul>
  );
}
