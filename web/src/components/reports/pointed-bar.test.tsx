/** @jest-environment jsdom */
import { fireEvent, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { findLine } from '../../lib/reports/line-path';
import { findPartOfStack } from '../../lib/reports/use-pointed-bar';
import { renderPage } from '../../test/render-page';
import { LineChart } from './line-chart';
import { StackedBars } from './stacked-bars';

const times = ['1 Nov', '2 Nov', '3 Nov'].map((name) => ({ id: name, name: `${name} UTC`, shortName: name }));
const series = [
  { id: 'a', label: 'demo-small', color: 'red', values: [10, 60, 10] },
  { id: 'b', label: 'demo-large', color: 'blue', values: [10, 40, 10] },
];
const { linkOf, ...figures } = {
  ...{ label: 'Tokens', format: String, formatShort: String, series },
  linkOf: (bar: number, part: number) => `/requests?bar=${bar}${part < 0 ? '' : `&part=${part}`}`,
};

/** Each bar is 100 pixels wide, and the drawing 100 high: of bars up to the value of 100, of lines up to 60. */
function open(chart: ReactNode) {
  const page = renderPage(chart);
  const plot = screen.getByRole('img').querySelector('.plot') as HTMLElement;
  plot.getBoundingClientRect = () =>
    ({ ...{ left: 0, top: 0, width: 300, height: 100, right: 300, bottom: 100 } }) as DOMRect;
  const at = (clientX: number, height: number) => ({ target: plot, coords: { clientX, clientY: 100 - height } });
  const link = () => plot.querySelector('a');
  return { ...page, at, link };
}
const bars = <StackedBars {...figures} bars={times} linkOf={linkOf} />;
const lines = <LineChart {...figures} points={times} linkOf={linkOf} />;

describe('a chart that is pointed at', () => {
  it.each([
    [150, 59, '/requests?bar=1&part=0', 'Click to see requests of demo-small'],
    [150, 61, '/requests?bar=1&part=1', 'Click to see requests of demo-large'],
    [50, 81, '/requests?bar=0', 'Click to see its requests'],
    [299, 5, '/requests?bar=2&part=0', 'Click to see requests of demo-small'],
  ])('leads from the bar at %d and the part of it at %d to %s', async (x, height, to, words) => {
    const { user, at, link, address } = open(bars);
    expect(link()).toBeNull();
    await user.pointer(at(x, height));
    expect(link()?.getAttribute('href')).toBe(to);
    screen.getByText(words);
    fireEvent.click(link() as Element);
    expect(address.current).toBe(to);
  });

  it('leads from a point to those of the line nearest to it, and from between lines to all', async () => {
    const { user, at, link } = open(lines);
    await user.pointer(at(150, 97));
    expect(link()?.getAttribute('href')).toBe('/requests?bar=1&part=0');
    await user.pointer(at(150, 83));
    expect(link()?.getAttribute('href')).toBe('/requests?bar=1');
  });

  it('shows its figures at the first tap of a finger, leads on at the second, and forgets the first at one elsewhere', async () => {
    const { user, at, link, address } = open(bars);
    const tap = (target: Element) => user.pointer({ keys: '[TouchA]', target });
    await user.pointer({ keys: '[TouchA]', ...at(150, 61) });
    expect(screen.getByText('2 Nov UTC')).toBeTruthy();
    expect(address.current).toBe('/');
    await tap(document.body);
    expect(link()).toBeNull();
    await user.pointer({ keys: '[TouchA]', ...at(150, 61) });
    await tap(link() as Element);
    expect(address.current).toBe('/requests?bar=1&part=1');
  });

  it('leads nowhere where nothing was said of it', async () => {
    const { user, at, link } = open(<StackedBars {...figures} bars={times} />);
    await user.pointer(at(150, 59));
    expect(link()).toBeNull();
    expect(screen.queryByText(/^Press/)).toBeNull();
  });
});

describe('what is at a height', () => {
  it('is the part of a stack that is drawn there, and none without a height', () => {
    expect([0, 9, 10, 29, 30].map((height) => findPartOfStack([10, 0, 20], height))).toEqual([0, 0, 2, 2, -1]);
    expect(findPartOfStack([0, 0], 0)).toBe(-1);
  });

  it('is the nearest line, and none where nothing was measured', () => {
    expect([50, 54, 70].map((height) => findLine([50, 55, null], height, 100))).toEqual([0, 1, -1]);
    expect(findLine([null], 0, 100)).toBe(-1);
  });
});
