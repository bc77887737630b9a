/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { renderPage } from '../../test/render-page';
import { AutoTopUpCard } from './auto-top-up-card';

const before = {
  ...{ __typename: 'AutoTopUp', isOn: true, threshold: 1_000, dollars: 20, monthlyCapDollars: 100 },
  ...{ boughtThisMonthDollars: 0, failure: null, pausedUntil: null, consentText: 'I agree.' },
  ...{ cardSavedBy: 'Ada', isCardYours: true },
  card: { __typename: 'SavedCard', brand: 'visa', last4: '4242', expiryMonth: 1, expiryYear: 2030 },
};

function openCard(stored: Partial<typeof before> = {}) {
  let topUp = { ...before, ...stored };
  const find = () => ({ data: { autoTopUp: topUp } });
  let isRefused = false;
  const set = ({ input }: Readonly<Record<string, unknown>>) => {
    if (isRefused) return { errors: [{ message: 'It was changed just now.', extensions: { code: 'CONFLICT' } }] };
    const { hasConsent: _agreed, ...change } = input as { hasConsent?: boolean };
    changeElsewhere(change);
    return { data: { setAutoTopUp: topUp } };
  };
  const changeElsewhere = (change: object) => {
    topUp = { ...topUp, ...change };
  };
  const page = renderPage(<Page />, { AutoTopUp: find, SetAutoTopUp: set });
  const inputs = () => page.asked.filter(({ name }) => name === 'SetAutoTopUp').map(({ variables }) => variables.input);
  const refuse = () => {
    isRefused = true;
  };
  return { ...page, inputs, changeElsewhere, refuse };
}

/** A page that its user leaves and comes back to. */
function Page() {
  const [isOpen, setOpen] = useState(true);
  return (
    <>
      <button type="button" onClick={() => setOpen(!isOpen)}>
        Another page
      </button>
      {isOpen && <AutoTopUpCard />}
    </>
  );
}

const shows = (label: string, value: string) =>
  waitFor(() => expect(screen.getByLabelText(label)).toHaveProperty('value', value));

describe('AutoTopUpCard', () => {
  it('shows what is stored by now to whoever comes back, and keeps what is typed meanwhile', async () => {
    const { user, inputs, changeElsewhere } = openCard();
    await shows('Monthly limit', '100');
    await user.click(screen.getByRole('button', { name: 'Another page' }));
    changeElsewhere({ dollars: 10, monthlyCapDollars: 40 });
    await user.click(screen.getByRole('button', { name: 'Another page' }));
    await shows('Monthly limit', '40');
    await shows('Buy for', '10');
    await user.clear(screen.getByLabelText('Balance falls below'));
    await user.type(screen.getByLabelText('Balance falls below'), '500');
    await user.click(screen.getByRole('checkbox', { name: 'I agree.' }));
    changeElsewhere({ monthlyCapDollars: 30 });
    await user.click(screen.getByRole('button', { name: 'Save changes' }));
    await shows('Monthly limit', '30');
    await shows('Balance falls below', '500');
    expect(inputs()).toEqual([{ threshold: 500, hasConsent: true }]);
    expect(screen.getByRole('checkbox', { name: 'I agree.' })).toHaveProperty('checked', false);
  });

  it('shows what is stored when a change is refused because it was changed elsewhere, and keeps what was typed', async () => {
    const { user, changeElsewhere, refuse } = openCard();
    await shows('Monthly limit', '100');
    await user.clear(screen.getByLabelText('Balance falls below'));
    await user.type(screen.getByLabelText('Balance falls below'), '900');
    changeElsewhere({ dollars: 10, monthlyCapDollars: 40 });
    refuse();
    await user.click(screen.getByRole('button', { name: 'Save changes' }));
    await screen.findByText('It was changed just now.');
    await shows('Monthly limit', '40');
    await shows('Buy for', '10');
    await shows('Balance falls below', '900');
  });

  it('is turned off without the amounts that stand in the form, also where one could not be sent', async () => {
    const { user, inputs } = openCard();
    await user.clear(await screen.findByLabelText('Buy for'));
    await user.clear(screen.getByLabelText('Monthly limit'));
    await user.type(screen.getByLabelText('Monthly limit'), '900');
    await user.click(screen.getByRole('button', { name: 'Turn off' }));
    await screen.findByRole('button', { name: 'Turn on' });
    expect(inputs()).toEqual([{ isOn: false }]);
    await shows('Monthly limit', '100');
    await shows('Buy for', '20');
  });

  it('is turned on for all amounts that stand beside the consent', async () => {
    const { user, inputs } = openCard({ isOn: false });
    await user.click(await screen.findByRole('checkbox', { name: 'I agree.' }));
    await user.click(screen.getByRole('button', { name: 'Turn on' }));
    await screen.findByRole('button', { name: 'Turn off' });
    expect(inputs()).toEqual([{ isOn: true, threshold: 1_000, dollars: 20, monthlyCapDollars: 100, hasConsent: true }]);
  });

  it('says that it is off because credits were taken back, and how it goes on', async () => {
    openCard({ isOn: false, failure: 'taken_back' as never });
    await screen.findByText(/The operator took back credits.*turn this back on/);
    screen.getByText('The automatic top-up was turned off');
  });

  it('that was turned off since somebody else may have set it goes on by one press, beside the amounts that it agrees to', async () => {
    const { user, inputs } = openCard({ isOn: false, failure: 'consent_needed' as never });
    await screen.findByText(/because somebody else may have set them/);
    screen.getByText(/buys for \$20, at most \$100 in a month.*I agree\./);
    await user.click(screen.getByRole('button', { name: 'Agree, and turn it on again' }));
    await screen.findByRole('button', { name: 'Turn off' });
    expect(inputs()).toEqual([{ isOn: true, threshold: 1_000, dollars: 20, monthlyCapDollars: 100, hasConsent: true }]);
  });

  it('by the card of another member says whose it is, and offers to turn it off or to save a card of one’s own alone', async () => {
    const { user, inputs } = openCard({ cardSavedBy: 'Bob', isCardYours: false });
    await screen.findByText(/Bob saved it/);
    screen.getByText(/buys for \$20, at most \$100 in a month/);
    screen.getByText(/Only Bob can turn it on or raise it/);
    screen.getByRole('button', { name: 'Save a card of your own' });
    // Stripe’s page would let them remove it.
    expect(screen.queryByRole('button', { name: 'Cards and invoices at Stripe' })).toBeNull();
    expect(screen.queryByLabelText('Buy for')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Turn off' }));
    await screen.findByText(/It is off/);
    expect(inputs()).toEqual([{ isOn: false }]);
    expect(screen.queryByRole('button', { name: /Turn o/ })).toBeNull();
  });
});
