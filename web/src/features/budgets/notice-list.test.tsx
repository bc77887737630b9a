/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { renderPage } from '../../test/render-page';
import { NoticeList } from './notice-list';

describe('NoticeList', () => {
  it('has the name of a key apart from the words around it where it is read from the right', async () => {
    const notice = { __typename: 'Notice', id: 'n1', at: '2026-11-20T10:00:00.000Z', isRead: true, ways: [] };
    const answer = () => ({
      data: { viewer: null, notices: [{ ...notice, title: 'The key “مفتاح!” has used 80 %' }] },
    });
    renderPage(<NoticeList />, Object.fromEntries([['Notices', answer]]));
    await screen.findByText('The key “\u2068مفتاح!\u2069” has used 80 %');
  });

  it('breaks a long name in what was told, so that when and how stay in view', async () => {
    const title = `“${'B'.repeat(100)}” has used 80 % of their budget for this month`;
    const notice = { __typename: 'Notice', id: 'n1', title, at: '2026-11-20T10:00:00.000Z', isRead: true };
    const ways = [{ __typename: 'NoticeWay', channel: 'DASHBOARD', state: 'SENT' }];
    const answer = () => ({ data: { viewer: null, notices: [{ ...notice, ways }] } });
    renderPage(<NoticeList />, Object.fromEntries([['Notices', answer]]));
    expect((await screen.findByText(title)).closest('td')?.className).toContain('broken');
  });
});
