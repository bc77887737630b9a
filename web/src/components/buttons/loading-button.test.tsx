/** @jest-environment jsdom */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { screen } from '@testing-library/react';
import { renderPage } from '../../test/render-page';
import { LoadingButton } from './loading-button';

describe('LoadingButton', () => {
  it('tells screen readers while it is busy, and takes no second press then', async () => {
    const press = jest.fn();
    const { user } = renderPage(
      <>
        <LoadingButton loading={false} onClick={press}>
          Free
        </LoadingButton>
        <LoadingButton loading onClick={press}>
          Busy
        </LoadingButton>
      </>,
    );
    const busyOf = (name: string) => screen.getByRole('button', { name }).getAttribute('aria-busy');
    expect([busyOf('Free'), busyOf('Busy')]).toEqual(['false', 'true']);
    await user.click(screen.getByRole('button', { name: 'Free' }));
    await user.click(screen.getByRole('button', { name: 'Busy' }));
    expect(press).toHaveBeenCalledTimes(1);
  });

  it('is every button that shows that it is busy', () => {
    const files = readdirSync('web/src', { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.tsx') && !name.includes('loading-button'),
    );
    const others = files.filter((name) =>
      /<(?:Button|ActionIcon)\b(?:[^>]|=>)*?\sloading\b/.test(readFileSync(join('web/src', name), 'utf8')),
    );
    expect(files.length).toBeGreaterThan(200);
    expect(others).toEqual([]);
  });
});
