/** @jest-environment jsdom */
import { act, screen } from '@testing-library/react';
import { renderPage } from '../../../test/render-page';
import { AccountSearch } from './account-search';

describe('AccountSearch', () => {
  it('has in its field what the address looks for, also when Back leads to another search', async () => {
    renderPage(<AccountSearch may={() => false} />, {}, '/operator?find=ada');
    const field = screen.getByRole('searchbox');
    expect(field).toHaveProperty('value', 'ada');
    act(() => {
      window.history.pushState(null, '', '/operator?find=bob');
      window.dispatchEvent(new PopStateEvent('popstate'));
    });
    expect(field).toHaveProperty('value', 'bob');
  });
});
