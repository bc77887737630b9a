/** @jest-environment jsdom */
import { act, screen } from '@testing-library/react';
import { useSearchParams } from 'react-router';
import { renderPage } from '../test/render-page';
import { useSearchChange, useSearchValue } from './use-search-value';

function Choices() {
  const [search] = useSearchParams();
  const change = useSearchChange();
  const [tag, setTag] = useSearchValue('tag');
  return (
    <>
      <button
        type="button"
        onClick={() => {
          change({ show: 'tokens' });
          change((now) => new URLSearchParams([...now, ['by', 'key']]));
          setTag('nightly');
        }}
      >
        Three choices
      </button>
      <button type="button" onClick={() => change({ show: null, tag: '' })}>
        Take out
      </button>
      <button type="button" onClick={() => change({ request: 'call_1' }, 'push')}>
        Open
      </button>
      <output>{`${search} tag: ${tag}`}</output>
    </>
  );
}

const shown = () => screen.getByRole('status').textContent;

describe('what the address keeps', () => {
  it('keeps every one of several choices that come before the page is drawn again', async () => {
    const { user, address } = renderPage(<Choices />, {}, '/usage?range=7d');
    await user.click(screen.getByRole('button', { name: 'Three choices' }));
    expect(address.current).toBe('/usage?range=7d&show=tokens&by=key&tag=nightly');
    expect(shown()).toBe('range=7d&show=tokens&by=key&tag=nightly tag: nightly');
  });

  it('takes out what is empty, and nothing else', async () => {
    const { user, address } = renderPage(<Choices />, {}, '/usage?range=7d&show=tokens&tag=nightly');
    await user.click(screen.getByRole('button', { name: 'Take out' }));
    expect(address.current).toBe('/usage?range=7d');
  });

  it('undoes by "back" what was opened, and none of the choices before it', async () => {
    const { user, address } = renderPage(<Choices />, {}, '/requests');
    await user.click(screen.getByRole('button', { name: 'Three choices' }));
    await user.click(screen.getByRole('button', { name: 'Open' }));
    expect(address.current).toBe('/requests?show=tokens&by=key&tag=nightly&request=call_1');
    await act(async () => {
      window.history.back();
      await new Promise((resolve) => window.addEventListener('popstate', resolve, { once: true }));
    });
    expect(address.current).toBe('/requests?show=tokens&by=key&tag=nightly');
  });
});
