/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { SelectFilter } from '../components/tables/search-filters';
import { answerLost, renderPage } from '../test/render-page';
import { useFilterChoices } from './use-filter-choices';

const report = (...keys: string[]) => ({
  __typename: 'UsageReport',
  groups: keys.map((key) => ({ __typename: 'UsageGroup', key })),
});
const choices = () => ({ data: { apiKeys: [], models: report('demo-small'), providers: report('demo') } });

function Filters() {
  const { models, keys, missing } = useFilterChoices();
  return (
    <>
      <SelectFilter label="Model" name="model" choices={models} missing={missing} />
      <SelectFilter label="Key" name="key" choices={keys} missing={missing} />
    </>
  );
}

describe('The choices of filters', () => {
  it('that could not be loaded are not said to be none, and are asked for once more when a filter is opened', async () => {
    const { user } = renderPage(<Filters />, { FilterChoices: answerLost(2, choices) });
    const model = screen.getByRole('combobox', { name: 'Model' });
    await user.click(model);
    await screen.findByText('These could not be loaded. Open the list again.');
    await user.click(model);
    await user.click(model);
    await screen.findByRole('option', { name: 'demo-small' });
  });

  it('say of a key that there is none yet', async () => {
    const { user } = renderPage(<Filters />, { FilterChoices: choices });
    await user.click(screen.getByRole('combobox', { name: 'Key' }));
    await screen.findByText('None yet');
  });
});
