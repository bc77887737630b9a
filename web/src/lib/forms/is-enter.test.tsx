/** @jest-environment jsdom */
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { TextFilter } from '../../components/tables/search-filters';
import { renderPage } from '../../test/render-page';

describe('Enter', () => {
  it.each([
    ['by most browsers', { isComposing: true }],
    ['by Safari', { keyCode: 229 }],
  ])('that ends a word of Japanese or Chinese, as told %s, does nothing else', async (_by, told) => {
    const { address } = renderPage(<TextFilter label="Tag" name="tag" />);
    const field = screen.getByRole('searchbox', { name: 'Tag' });
    fireEvent.change(field, { target: { value: '東京' } });
    fireEvent.keyDown(field, { key: 'Enter', ...told });
    expect(address.current).toBe('/');
    fireEvent.keyDown(field, { key: 'Enter', keyCode: 13 });
    await waitFor(() => expect(decodeURI(address.current)).toBe('/?tag=東京'));
  });
});
