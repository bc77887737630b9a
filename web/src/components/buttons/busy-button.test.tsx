/** @jest-environment jsdom */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { screen } from '@testing-library/react';
import { renderPage } from '../../test/render-page';
import { BusyButton } from './busy-button';

describe('BusyButton', () => {
  it('tells screen readers while it is busy, and takes no press then, nor where it is switched off', async () => {
    const press = jest.fn();
    const { user } = renderPage(
      <>
        <BusyButton isBusy={false} onClick={press}>
          Free
        </BusyButton>
        <BusyButton isBusy onClick={press}>
          Busy
        </BusyButton>
        <BusyButton isBusy={false} disabled onClick={press}>
          Off
        </BusyButton>
      </>,
    );
    const button = (name: string) => screen.getByRole('button', { name });
    const busy = ['Free', 'Busy', 'Off'].map((name) => button(name).getAttribute('aria-busy'));
    expect(busy).toEqual(['false', 'true', 'false']);
    for (const name of ['Free', 'Busy', 'Off']) await user.click(button(name));
    expect(press).toHaveBeenCalledTimes(1);
  });
});

describe('Whatever takes no press while something is under way', () => {
  const files = readdirSync('web/src', { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.tsx') && !name.includes('.test.'),
  );
  /** Attributes that switch something off for a time, and the one behind each. */
  const switchedOff = /\sdisabled=\{[^}]*(?:\bloading\b|[bB]usy\b|\bis[A-Z]\w*ing\b)[^}]*\}\s*([\w-]+)?/g;

  it('says that it is busy, so that the focus waits for it', () => {
    const silent = files.filter((name) =>
      [...readFileSync(join('web/src', name), 'utf8').matchAll(switchedOff)].some(([, next]) => next !== 'aria-busy'),
    );
    expect(files.length).toBeGreaterThan(200);
    expect(silent).toEqual([]);
  });
});
