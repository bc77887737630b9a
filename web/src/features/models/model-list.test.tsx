/** @jest-environment jsdom */
import { fireEvent, screen, within } from '@testing-library/react';
import { answerLost, renderPage } from '../../test/render-page';
import { ModelList } from './model-list';
import { PriceCalculator } from './price-calculator';

const capabilities = {
  __typename: 'ModelCapabilities',
  vision: true,
  tools: true,
  jsonSchema: false,
  reasoning: false,
};
const model = (id: string, creditsPerThousandTokens: number) => ({
  ...{ __typename: 'Model', id, tier: creditsPerThousandTokens === 1 ? 'lower' : 'higher', endpoint: 'CHAT' },
  ...{ creditsPerThousandTokens, contextTokens: 128_000, maxOutputTokens: 16_384, isDemo: false, capabilities },
  routes: [{ __typename: 'ModelRoute', provider: 'openai', upstreamModel: id, state: 'HEALTHY' }],
});
const noAnswer = { Models: () => null };
const models = [model('a', 1), model('b', 2), model('c', 2), model('d', 2)];
const figures = {
  ...{ __typename: 'ServiceFigures', uptimePercent: 99.98, p50Ms: 1_200, p95Ms: 4_020, firstByteP50Ms: 300 },
};
const serviceStatus = {
  ...{ __typename: 'ServiceStatus', measuredAt: '2026-11-20T10:00:00.000Z' },
  providers: [
    {
      ...{ __typename: 'ProviderMeasures', provider: 'openai', figures, days: [] },
      models: [{ __typename: 'ModelMeasures', model: 'a', figures }],
    },
  ],
};
const listModels = () => ({ data: { models } });
const many = [...models, ...['e', 'f', 'g'].map((id) => model(id, 2)), model('h', 1)];
const manyModels = { Models: () => ({ data: { models: many } }) };
const answers = { Models: listModels, ServiceStatus: () => ({ data: { serviceStatus } }) };

describe('ModelList', () => {
  it('shows dollars beside credits, what was measured of each provider, and where nothing was', async () => {
    renderPage(<ModelList />, answers);
    const [, first, second] = await screen.findAllByRole('row');
    expect(first?.textContent).toContain('$1.00');
    expect(first?.textContent).toContain('1 credit / 1,000');
    await within(first as HTMLElement).findByText('99.98 % up · p50 1.20 s · p95 4.02 s');
    within(second as HTMLElement).getByText('fewer than 10 calls');
  });

  it('has the models in the order that the address names, and keeps there what is chosen', async () => {
    const { user, address } = renderPage(<ModelList />, manyModels, '/models?sort=price');
    const ids = () => screen.getAllByRole('checkbox').map((box) => box.getAttribute('aria-label')?.at(-1));
    await screen.findByRole('table', { name: 'Models' });
    expect(ids().join('')).toBe('ahbcdefg');
    await user.click(screen.getByRole('combobox', { name: 'Order' }));
    await user.click(await screen.findByRole('option', { name: 'Usual order' }));
    expect([ids().join(''), address.current]).toEqual(['abcdefgh', '/models']);
  });

  it('is sorted by the heads of its columns, which say so, and a second press takes the order back', async () => {
    const { user, address } = renderPage(<ModelList />, manyModels, '/models?tier=all');
    const head = await screen.findByRole('columnheader', { name: '$ / 1M tokens' });
    const press = async () => {
      await user.click(within(head).getByRole('button'));
      return [head.getAttribute('aria-sort'), new URLSearchParams(address.current.split('?')[1]).get('sort')];
    };
    expect(await press()).toEqual(['ascending', 'price']);
    expect(await press()).toEqual([null, null]);
  });

  it('calls nothing unmeasured whose measurements could not be loaded, and asks for them once more', async () => {
    const measures = answerLost(1, answers.ServiceStatus);
    const { user } = renderPage(<ModelList />, { Models: listModels, ServiceStatus: measures });
    await screen.findByText('The measurements could not be loaded');
    expect(screen.queryByText(/^fewer than 10 calls/)).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    await screen.findByText('99.98 % up · p50 1.20 s · p95 4.02 s');
  });

  it('compares up to three models that the address names', async () => {
    const { user, address } = renderPage(<ModelList />, answers, '/models?compare=a,nobody');
    const table = await screen.findByRole('table', { name: 'Comparison' });
    expect(
      within(table)
        .getAllByRole('columnheader')
        .map((head) => head.textContent),
    ).toEqual(['a']);
    await user.click(await screen.findByRole('checkbox', { name: 'Compare b' }));
    await user.click(screen.getByRole('checkbox', { name: 'Compare d' }));
    expect(decodeURIComponent(address.current)).toBe('/models?compare=a,b,d');
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Compare c' }).disabled).toBe(true);
    await user.click(screen.getByRole('button', { name: 'Close the comparison' }));
    expect(address.current).toBe('/models');
  });
});

describe('PriceCalculator', () => {
  it('says what a request and a month of them cost, exactly', async () => {
    renderPage(<PriceCalculator />, { Models: listModels });
    await screen.findByDisplayValue('a, $1.00 / 1M');
    fireEvent.change(screen.getByRole('textbox', { name: 'Prompt tokens' }), { target: { value: '1501' } });
    fireEvent.change(screen.getByRole('textbox', { name: 'Requests per month' }), { target: { value: '333' } });
    const sums = screen.getAllByRole('definition').map(({ textContent }) => textContent);
    expect(sums).toEqual(['2.001 credits', '$0.002001', '666.333 credits', '$0.666333']);
  });

  it('says that its models could not be loaded, and asks for them once more', async () => {
    const { user } = renderPage(<PriceCalculator />, { Models: answerLost(1, listModels) });
    await screen.findByText('The models could not be loaded');
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    await screen.findByDisplayValue('a, $1.00 / 1M');
  });

  it('calls nothing free whose price is not known: without models there is no sum', () => {
    renderPage(<PriceCalculator />, noAnswer);
    expect(screen.getAllByRole('definition').map(({ textContent }) => textContent)).toEqual(['–', '–', '–', '–']);
  });
});
