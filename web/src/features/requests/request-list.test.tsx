/** @jest-environment jsdom */
import { act, screen, waitFor } from '@testing-library/react';
import { renderPage } from '../../test/render-page';
import { RequestList } from './request-list';

function requestOf(model: string) {
  const call = {
    ...{ __typename: 'Call', id: `call_${model}`, outcome: 'COMPLETED', errorCode: null, model, provider: 'demo' },
    ...{ promptTokens: 1, completionTokens: 1, charged: 0.002, firstByteMs: 1, totalMs: 2, tag: null, endUser: null },
    apiKey: null,
  };
  const node = { __typename: 'Request', id: call.id, at: '2026-11-23T10:00:00.000Z', call, refusal: null };
  return { __typename: 'RequestEdge', cursor: call.id, node };
}

const failed = { errors: [{ message: 'The server is busy. Try again.' }] };

/** A list whose answer depends on the model that the filter names. */
function open(answers: Readonly<Record<string, object | null>>) {
  const known = (model: string) => ({
    data: {
      requests: {
        __typename: 'RequestConnection',
        edges: [requestOf(model)],
        pageInfo: { __typename: 'PageInfo', hasNextPage: false, endCursor: null },
      },
    },
  });
  const answerOf = (variables: Readonly<Record<string, unknown>>) => {
    const model = (variables.filter as { model: string } | null)?.model ?? 'any';
    const given = answers[model];
    return given === undefined ? known(model) : given;
  };
  return renderPage(<RequestList />, Object.fromEntries([['Requests', answerOf]]), '/requests?model=first');
}

function goTo(address: string) {
  act(() => {
    window.history.pushState(null, '', address);
    window.dispatchEvent(new PopStateEvent('popstate'));
  });
}

const rowOf = (model: string) => screen.findByRole('button', { name: `Receipt of the call to ${model}` });

describe('RequestList', () => {
  it('shows no rows of the filter before once the new one has failed', async () => {
    open({ second: failed });
    await rowOf('first');
    goTo('/requests?model=second');
    await screen.findByText('Your requests could not be loaded');
    expect(screen.queryByRole('button', { name: /^Receipt of the call/ })).toBeNull();
  });

  it('marks the rows of the filter before while the new one is asked for', async () => {
    open({ second: null });
    const row = await rowOf('first');
    expect(row.closest('[aria-busy="true"]')).toBeNull();
    goTo('/requests?model=second');
    await waitFor(() => expect(row.closest('[aria-busy="true"]')).not.toBeNull());
  });

  it('has its filters folded away on a phone, says how many there are, and takes them back at once', async () => {
    const { matchMedia } = window;
    const isNarrow = (query: string) => ({ ...matchMedia(query), matches: query.includes('max-width') });
    Object.assign(window, { matchMedia: isNarrow });
    try {
      const { user, address } = open({});
      await rowOf('first');
      const button = screen.getByRole('button', { name: 'Filters (1)' });
      expect([button.getAttribute('aria-expanded'), screen.queryByRole('combobox')]).toEqual(['false', null]);
      await user.click(button);
      expect(button.getAttribute('aria-expanded')).toBe('true');
      expect(screen.getByRole<HTMLInputElement>('combobox', { name: 'Model' }).value).toBe('first');
      await user.click(button);
      await user.click(screen.getByRole('button', { name: 'All requests' }));
      expect(address.current).toBe('/requests');
      screen.getByRole('button', { name: 'Filters' });
    } finally {
      Object.assign(window, { matchMedia });
    }
  });

  it('has one button that takes back the filters and the order', async () => {
    const { user, address } = open({});
    await rowOf('first');
    goTo('/requests?sort=cost');
    await rowOf('any');
    await user.click(screen.getByRole('button', { name: 'All requests' }));
    expect(address.current).toBe('/requests');
    expect(screen.queryByRole('button', { name: 'All requests' })).toBeNull();
  });

  it('is sorted by the heads of its columns, which say how', async () => {
    const { user, address } = open({});
    await rowOf('first');
    const sorts = () =>
      screen
        .getAllByRole('columnheader')
        .map((head) => [head.textContent, head.getAttribute('aria-sort')])
        .filter(([, sort]) => sort !== null);
    expect(sorts()).toEqual([['Time', 'descending']]);
    await user.click(screen.getByRole('button', { name: 'Credits' }));
    expect([sorts(), address.current]).toEqual([[['Credits', 'descending']], '/requests?model=first&sort=cost']);
    await user.click(screen.getByRole('button', { name: 'Time' }));
    expect([sorts(), address.current]).toEqual([[['Time', 'descending']], '/requests?model=first']);
  });

  it('keeps its rows when the same question, asked again, fails', async () => {
    let isBroken = false;
    const answers = {
      get first() {
        return isBroken ? failed : undefined;
      },
    };
    const { user } = open(answers as never);
    await rowOf('first');
    isBroken = true;
    await user.click(screen.getByRole('switch', { name: 'Live' }));
    await screen.findByText('Your requests could not be loaded');
    await rowOf('first');
  });
});
