/** @jest-environment jsdom */
import { screen, waitFor, within } from '@testing-library/react';
import { readRange, spanOf } from '../../lib/reports/time-range';
import { type Asked, answer, renderPage } from '../../test/render-page';
import { UsagePage } from './usage-page';

const sums = {
  ...{ __typename: 'UsageSums', calls: 1, failedCalls: 0, promptTokens: 2, completionTokens: 3 },
  ...{ cachedTokens: null, reasoningTokens: null, charged: 4 },
};

/** Every bar has the same. */
function answerUsage(starts: readonly string[]) {
  const buckets = starts.map((start) => ({ __typename: 'UsageBucket', start, sums }));
  const groups = [{ __typename: 'UsageGroup', key: 'demo-small', sums, buckets: starts.map(() => sums) }];
  return { data: { apiKeys: [], usage: { __typename: 'UsageReport', total: sums, buckets, groups } } };
}

async function open(path: string, starts: readonly string[]) {
  const answers = {
    Usage: answer(answerUsage(starts)),
    Role: answer({ data: { viewer: { __typename: 'Account', id: 'acc_1', role: 'OWNER' } } }),
    Latency: answer({ data: { latency: [] } }),
  };
  const page = renderPage(<UsagePage />, answers, path);
  const table = within(await screen.findByLabelText(/^Table: Credits per/));
  const links = () => table.getAllByLabelText(/^Show requests of/) as HTMLAnchorElement[];
  const asked = () => (page.asked.find(({ name }) => name === 'Usage') as Asked).variables.input;
  return { ...page, links, asked };
}

/** The time that the page of requests reads from an address. */
function timeOf(href: string | undefined) {
  const { fromMs, toMs } = spanOf(readRange(new URL(href ?? '').searchParams, '30d'), Date.now());
  return [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
}

describe('the bars of usage', () => {
  afterEach(() => jest.restoreAllMocks());

  it('lead to the requests of exactly their months, the first one and the last one cut as in the report', async () => {
    const starts = ['2026-09-15T00:00:00.000Z', '2026-10-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'];
    const { links, asked } = await open('/usage?from=2026-09-15&to=2026-11-10&per=month&tag=nightly', starts);
    const ends = [...starts.slice(1), '2026-11-11T00:00:00.000Z'];
    const times = links().map(({ href }) => timeOf(href));
    expect(times.reverse()).toEqual(starts.map((start, at) => [start, ends[at]]));
    expect([times[0]?.[0], times[2]?.[1]]).toEqual([
      (asked() as { from: string }).from,
      (asked() as { to: string }).to,
    ]);
    expect(links()[0]?.search).toBe('?tag=nightly&from=2026-11-01&to=2026-11-10');
  });

  it('lead to the requests of exactly their hours in UTC, by names that say so', async () => {
    const starts = Array.from({ length: 24 }, (_, hour) => new Date(Date.UTC(2026, 10, 3, hour)).toISOString());
    const { links, user, address } = await open('/usage?from=2026-11-03&to=2026-11-03', starts);
    const ends = [...starts.slice(1), '2026-11-04T00:00:00.000Z'];
    expect(
      links()
        .map(({ href }) => timeOf(href))
        .reverse(),
    ).toEqual(starts.map((start, at) => [start, ends[at]]));
    await user.click(screen.getByText('Show this chart as a table'));
    screen.getByRole('link', { name: 'Show requests of Nov 3, 14:00 UTC' }).focus();
    await user.keyboard('{Enter}');
    expect(address.current).toBe('/requests?from=2026-11-03T14&to=2026-11-03T14');
  });

  it('lead, of a day that is not over, to the whole of it, and of a part of it to its group', async () => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 10, 3, 12, 30));
    const today = '2026-11-03';
    const { user, links } = await open('/usage?range=7d&by=model', [`${today}T00:00:00.000Z`]);
    expect(links()[0]?.search).toBe(`?from=${today}&to=${today}`);
    const plot = screen.getByRole('img').querySelector('.plot') as HTMLElement;
    const box = { left: 0, top: 0, width: 100, height: 100, right: 100, bottom: 100 };
    plot.getBoundingClientRect = () => box as DOMRect;
    await user.pointer({ target: plot, coords: { clientX: 50, clientY: 99 } });
    expect(plot.querySelector('a')?.search).toBe(`?model=demo-small&from=${today}&to=${today}`);
  });
});

describe('the sum of a report', () => {
  it('is told in dollars, too, where it is one of credits', async () => {
    const { user } = await open('/usage?range=7d', ['2026-11-03T00:00:00.000Z']);
    screen.getByText('credits total, under $0.01');
    await user.click(screen.getByRole('tab', { name: 'Tokens' }));
    await screen.findByText('tokens total');
  });
});

describe('the groups of usage', () => {
  it('lead to their requests of the same time and tag', async () => {
    const { user, address } = await open('/usage?range=7d&tag=nightly', ['2026-11-03T00:00:00.000Z']);
    await user.click(screen.getByRole('link', { name: 'Show requests of demo-small' }));
    expect(address.current).toBe('/requests?model=demo-small&tag=nightly&range=7d');
  });
});

describe('another choice', () => {
  it('leaves the report of the choice before in its place, dimmed and with its own words, until its answer is there', async () => {
    let isHeld = false;
    const starts = ['2026-11-03T00:00:00.000Z'];
    const usage = () => (isHeld ? null : answerUsage(starts));
    const { user } = renderPage(
      <UsagePage />,
      {
        ...Object.fromEntries([['Usage', usage]]),
        Role: answer({ data: { viewer: { __typename: 'Account', id: 'acc_1', role: 'OWNER' } } }),
        Latency: answer({ data: { latency: [] } }),
      },
      '/usage?range=7d',
    );
    const before = await screen.findByLabelText(/^Table: Credits per/);
    const isBusy = () => before.closest('[aria-busy]')?.getAttribute('aria-busy');
    expect(isBusy()).toBe('false');
    isHeld = true;
    await user.click(screen.getByRole('radio', { name: 'By provider' }));
    await waitFor(() => expect(isBusy()).toBe('true'));
    expect(before.isConnected).toBe(true);
    expect(screen.getByRole('heading', { name: 'Latency and failures by model' })).toBeTruthy();
  });
});
