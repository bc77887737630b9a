/** @jest-environment jsdom */
import { act, renderHook, screen, waitFor } from '@testing-library/react';
import { type Answer, answerLost, renderPage } from '../../test/render-page';
import { BuyCredits } from './buy-credits';
import { useLeaving } from './use-leaving';

const pack = { __typename: 'CreditPack', id: 'pack_25', dollars: 25, credits: 25_000 };
const larger = { ...pack, id: 'pack_50', dollars: 50, credits: 50_000 };
const listPacks = () => ({ data: { creditPacks: [pack, larger] } });
const refusal = 'The account is frozen while a dispute runs.';
const refuse = () => ({ errors: [{ message: refusal, extensions: { code: 'CONFLICT' } }] });

const started = { __typename: 'CheckoutPayload', purchase: { __typename: 'Purchase', id: 'pur_1' }, url: '#checkout' };
const showAgain = () => Object.assign(new Event('pageshow'), { persisted: true });

function open(answer: Answer = refuse) {
  const page = renderPage(<BuyCredits />, { CreditPacks: listPacks, StartCheckout: answer });
  const listStarted = () =>
    page.asked.filter(({ name }) => name === 'StartCheckout').map(({ variables }) => variables.input);
  return { ...page, listStarted };
}

describe('BuyCredits', () => {
  it.each(['4', '1001', '5.5', '-5', 'ten'])('sends no amount of %s', async (amount) => {
    const { user, listStarted } = open();
    const field = screen.getByRole('textbox', { name: 'Another amount' });
    await user.type(field, `${amount}{Enter}`);
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(listStarted()).toEqual([]);
  });

  it('says what an amount buys before it is sent, and what the server refuses at the field', async () => {
    const { user, listStarted } = open();
    await user.type(screen.getByRole('textbox', { name: 'Another amount' }), ' 40 ');
    await user.click(screen.getByRole('button', { name: 'Buy 40,000 credits' }));
    await screen.findByText(refusal);
    expect(listStarted()).toEqual([{ dollars: 40 }]);
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Buy 40,000 credits' }).disabled).toBe(false);
  });

  it('buys the pack that was pressed, and can be pressed again after a refusal', async () => {
    const { user, listStarted } = open();
    const buy = await screen.findByRole<HTMLButtonElement>('button', { name: 'Buy 25,000 credits for $25' });
    await user.click(buy);
    await screen.findByText(refusal);
    expect([listStarted(), buy.disabled]).toEqual([[{ packId: 'pack_25' }], false]);
  });

  it('begins one purchase however often it is pressed after a lost answer, and another for another pack', async () => {
    const { user, asked } = open(answerLost(3, refuse));
    const buy = await screen.findByRole<HTMLButtonElement>('button', { name: 'Buy 25,000 credits for $25' });
    const listSent = () => asked.filter(({ name }) => name === 'StartCheckout').map(({ variables }) => variables);
    for (const press of [1, 2]) {
      await user.click(buy);
      await waitFor(() => expect([listSent().length, buy.disabled]).toEqual([press, false]));
    }
    await screen.findAllByText(/We could not confirm whether the purchase was begun/);
    await user.click(screen.getByRole('button', { name: 'Buy 50,000 credits for $50' }));
    await waitFor(() => expect(listSent()).toHaveLength(3));
    const [first, again, other] = listSent();
    expect(first?.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
    expect(again).toEqual(first);
    expect(other?.idempotencyKey).not.toBe(first?.idempotencyKey);
  });

  it.each(['Buy 25,000 credits for $25', 'Buy 7,000 credits'])(
    'says that the checkout opens where “%s” was pressed',
    async (button) => {
      const { user } = open(() => null);
      await screen.findByText('$25');
      await user.type(screen.getByRole('textbox', { name: 'Another amount' }), '7');
      const pressed = screen.getByRole('button', { name: button });
      await user.click(pressed);
      await waitFor(() => expect(pressed.textContent).toBe('Opening …'));
      expect(screen.getAllByText('Opening …')).toHaveLength(1);
    },
  );

  it('takes nobody to a checkout who has gone to another page of the dashboard before it could open', () => {
    window.location.hash = '';
    const { result, unmount } = renderHook(useLeaving);
    const { goTo } = result.current;
    unmount();
    goTo('#checkout');
    expect(window.location.hash).toBe('');
  });

  describe('whose checkout was begun', () => {
    beforeEach(() => jest.useFakeTimers({ advanceTimers: true }));
    afterEach(() => jest.useRealTimers());

    it.each([
      ['the page is shown again, by “Back”', () => window.dispatchEvent(showAgain())],
      ['the checkout has not opened within seconds', () => jest.advanceTimersByTime(5_000)],
    ])('can be pressed again once %s, and not before', async (_when, happen) => {
      const begin = () => ({ data: { startCheckout: started } });
      renderPage(<BuyCredits />, { CreditPacks: listPacks, StartCheckout: begin });
      const buy = await screen.findByRole<HTMLButtonElement>('button', { name: 'Buy 25,000 credits for $25' });
      await act(async () => buy.click());
      expect([window.location.hash, buy.disabled]).toEqual(['#checkout', true]);
      await act(async () => void happen());
      expect(buy.disabled).toBe(false);
    });
  });
});
