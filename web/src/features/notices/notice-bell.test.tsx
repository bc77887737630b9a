/** @jest-environment jsdom */
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { Link } from 'react-router';
import { renderPage } from '../../test/render-page';
import { NoticeBell } from './notice-bell';

const at = '2026-11-20T10:00:00.000Z';
const ways = [{ __typename: 'NoticeWay', channel: 'DASHBOARD', state: 'SENT' }];
const notice = (id: string, isRead: boolean) => ({
  __typename: 'Notice',
  ...{ id, at, isRead, ways, title: `Told ${id}` },
});

function open() {
  const read = new Set(['n1']);
  const listNotices = () => ({ data: { notices: ['n3', 'n2', 'n1'].map((id) => notice(id, read.has(id))) } });
  const markRead = ({ until }: Readonly<Record<string, unknown>>) => {
    if (until === at) for (const id of ['n2', 'n3']) read.add(id);
    return { data: { markNoticesRead: true } };
  };
  const shown = (
    <>
      <NoticeBell />
      <Link to="/usage">Usage</Link>
    </>
  );
  const page = renderPage(shown, { Notices: listNotices, MarkNoticesRead: markRead });
  const countAsked = () => page.asked.filter(({ name }) => name === 'Notices').length;
  return { ...page, countAsked };
}

// jsdom knows no popovers: it is told that the list has opened.
function openList() {
  const list = document.getElementById('notice-list');
  if (!list) throw new Error('There is no list.');
  list.removeAttribute('popover');
  fireEvent(list, Object.assign(new Event('toggle'), { newState: 'open' }));
}

describe('NoticeBell', () => {
  it('says how many are unread, lists them, and marks all of them as read', async () => {
    const { user, asked } = open();
    await screen.findByRole('button', { name: 'Notifications, 2 unread' });
    openList();
    expect(screen.getAllByText('New:', { exact: false })).toHaveLength(2);
    await user.click(screen.getByRole('button', { name: 'Mark 2 as read' }));
    await screen.findByRole('button', { name: 'Notifications' });
    expect(screen.queryByText('New:', { exact: false })).toBeNull();
    expect(asked.find(({ name }) => name === 'MarkNoticesRead')?.variables).toEqual({ until: at });
  });

  it('asks once for pages that are opened within a minute', async () => {
    const { user, countAsked } = open();
    await waitFor(() => expect(countAsked()).toBe(1));
    await user.click(screen.getByRole('link', { name: 'Usage' }));
    expect(countAsked()).toBe(1);
  });
});
