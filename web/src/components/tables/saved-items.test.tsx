/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import { renderPage } from '../../test/render-page';
import { SavedItems } from './saved-items';

describe('SavedItems', () => {
  it('asks before it deletes for all members, and not before it deletes in this browser', async () => {
    const deleted: string[] = [];
    const nothing = () => undefined;
    const { user } = renderPage(
      <SavedItems
        {...{ label: 'Prompts', nameLabel: 'Name', emptyText: 'None.', names: ['Mine'], onOpen: nothing }}
        onSave={() => null}
        onDelete={(name) => deleted.push(`here ${name}`)}
        account={{
          ...{ items: [{ name: 'Ours', content: '{}' }], isLoading: false, fault: null, withheld: null, refusal: null },
          ...{ load: nothing, onOpen: nothing, onSave: async () => true },
          onDelete: (name) => deleted.push(`for all ${name}`),
        }}
      />,
    );
    const press = async (name: string) => user.click(await screen.findByRole('button', { name }));
    await press('Prompts');
    await press('Delete Mine');
    await press('Delete Ours');
    await press('Cancel');
    expect(deleted).toEqual(['here Mine']);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await press('Prompts');
    await press('Delete Ours');
    await press('Delete for all members');
    expect(deleted).toEqual(['here Mine', 'for all Ours']);
  });
});
