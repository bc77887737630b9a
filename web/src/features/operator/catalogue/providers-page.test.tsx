/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { answer, renderPage } from '../../../test/render-page';
import { ProvidersPage } from './providers-page';

const figures = { attempts: 0, errors: 0, lastErrorCode: null, p50Ms: null, p95Ms: null };
const key = { ...{ __typename: 'OperatorProviderKey', setIn: 'ENVIRONMENT', weight: 1 }, isReadable: true };
const provider = {
  ...{ __typename: 'OperatorProvider', id: 'here', name: 'Here', setIn: 'FILE', address: 'http://here' },
  ...{ isSwitchedOff: false, rank: null, isOn: true, models: ['small'], state: 'HEALTHY', retryAt: null },
  figures: { __typename: 'OperatorProviderFigures', ...figures },
};

const mayNothing = () => false;

describe('ProvidersPage', () => {
  it.each([
    ['…9BgD', '…9BgD'],
    ['…', 'hidden, too short'],
  ])('shows what may be shown of a key, and says so where that is nothing: %s', async (masked, words) => {
    const keys = [{ ...key, id: null, masked, coolsUntil: null }];
    const operator = {
      ...{ __typename: 'OperatorQuery', providers: [{ ...provider, keys }] },
      catalogueStanding: { __typename: 'OperatorCatalogueStanding', revision: 1, fault: null },
    };
    renderPage(
      <ProvidersPage may={mayNothing} />,
      Object.fromEntries([['OperatorProviders', answer({ data: { operator } })]]),
    );
    await screen.findByText(words);
  });
});
