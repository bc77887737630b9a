/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import { answer, renderPage } from '../../test/render-page';
import { ExplorePage } from './explore-page';

const sums = {
  ...{ __typename: 'UsageSums', calls: 1, failedCalls: 0, promptTokens: 2, completionTokens: 3 },
  ...{ cachedTokens: null, reasoningTokens: null, charged: 4 },
};
const cell = { __typename: 'ExploreCell', sums };
const series = {
  ...{ __typename: 'ExploreSeries', calls: [1], failedCalls: [0], promptTokens: [2], completionTokens: [3] },
  ...{ cachedTokens: [null], reasoningTokens: [null], charged: [4] },
};
const group = {
  ...{ __typename: 'ExploreGroup', isRest: false, model: 'demo-small', provider: null, apiKeyId: null, tag: null },
  ...{ endUser: null, outcome: null, total: cell, series, previous: null },
};
const explore = {
  ...{ __typename: 'ExploreReport', starts: ['2026-11-03T00:00:00.000Z'], total: cell, series },
  ...{ groups: [group], previous: null, coveredFrom: null, areTimesPartial: false },
};

/** The page with an answer to its first choice; whatever is asked once it holds answers back stays open. */
function open() {
  let isHeld = false;
  const explored = () => (isHeld ? null : { data: { apiKeys: [], explore } });
  const { user } = renderPage(
    <ExplorePage />,
    {
      ...Object.fromEntries([['Explore', explored]]),
      Role: answer({ data: { viewer: { __typename: 'Account', id: 'acc_1', role: 'OWNER' } } }),
      FilterChoices: answer({ data: { apiKeys: [], models: { groups: [] }, providers: { groups: [] } } }),
    },
    '/explore?range=7d&as=table',
  );
  const holdAnswers = () => {
    isHeld = true;
  };
  return { user, holdAnswers };
}

describe('ExplorePage', () => {
  it('leaves the answer to the choice before in its place, dimmed and under its own title, until the next one is there', async () => {
    const { user, holdAnswers } = open();
    const before = await screen.findByRole('heading', { name: 'Cost per day, by model' });
    const isBusy = () => before.closest('[aria-busy]')?.getAttribute('aria-busy');
    expect(isBusy()).toBe('false');
    holdAnswers();
    await user.click(screen.getByRole('combobox', { name: 'Group' }));
    await user.click(screen.getByRole('option', { name: 'By provider', hidden: true }));
    await waitFor(() => expect(isBusy()).toBe('true'));
    expect(before.textContent).toBe('Cost per day, by model');
    expect(screen.getByRole('region', { name: 'Table: Groups' }).textContent).toContain('demo-small');
  });

  it('leads from the answer to the choice before to the requests behind that answer, until the next one is there', async () => {
    const { user, holdAnswers } = open();
    const links = await screen.findAllByRole('link', { name: /^Show requests of / });
    const before = links.map((link) => link.getAttribute('href'));
    holdAnswers();
    await user.click(screen.getByRole('combobox', { name: 'Status' }));
    await user.click(screen.getByRole('option', { name: 'Failed', hidden: true }));
    await waitFor(() => expect(links[0]?.closest('[aria-busy]')?.getAttribute('aria-busy')).toBe('true'));
    expect(links.map((link) => link.getAttribute('href'))).toEqual(before);
  });
});
