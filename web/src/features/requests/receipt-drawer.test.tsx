/** @jest-environment jsdom */
import { screen, within } from '@testing-library/react';
import { useState } from 'react';
import { answer, renderPage } from '../../test/render-page';
import { ReceiptDrawer } from './receipt-drawer';

const [first, second] = ['call_A', 'call_B'];

function receiptOf(id: unknown) {
  return {
    ...{ __typename: 'Call', id, startedAt: '2026-11-23T10:00:00.000Z', outcome: 'COMPLETED', errorCode: null },
    ...{ finishReason: 'stop', model: 'demo-small', provider: 'demo', tier: 'lower', streamed: false, apiKey: null },
    ...{ promptTokens: 10, completionTokens: 5, usageSource: 'REPORTED', creditsPerThousandTokens: 1 },
    ...{ priceMultiplier: 1_000, held: 1, charged: 0.015, absorbed: 0, firstByteMs: 10, totalMs: 20 },
    ...{ balanceAfter: 100, tag: null, endUser: null, cachedTokens: null, reasoningTokens: null },
    ...{ attempts: [], estimateParts: null },
  };
}

type Variables = Readonly<Record<string, unknown>>;

const answers = {
  CallReceipt: ({ id }: Variables) => ({ data: { call: receiptOf(id) } }),
  ShareReceipt: ({ callId }: Variables) => ({
    data: {
      shareReceipt: {
        __typename: 'SharedReceiptLink',
        token: `token-of-${String(callId)}`,
        expiresAt: '2026-12-01T10:00:00.000Z',
      },
    },
  }),
};

// Each has its outcome in its id.
const freeAnswers = {
  ...answers,
  CallReceipt: ({ id }: Variables) => {
    const none = { usageSource: 'NONE', promptTokens: 0, completionTokens: 0, charged: 0 };
    return { data: { call: { ...receiptOf(id), ...none, outcome: String(id).slice('call_'.length) } } };
  },
};

/** The drawer, and a way to another request without closing it, as the search of the whole dashboard has. */
function DrawerAndPalette() {
  const [requestId, setRequestId] = useState(second);
  return (
    <>
      <button type="button" onClick={() => setRequestId(first)}>
        Jump to {first}
      </button>
      <button type="button" onClick={() => setRequestId(second)}>
        Jump to {second}
      </button>
      <ReceiptDrawer requestId={requestId} onClose={() => undefined} />
    </>
  );
}

describe('ReceiptDrawer', () => {
  it('shows a link that was made for one receipt on no other', async () => {
    const { user } = renderPage(<DrawerAndPalette />, answers);
    const drawer = within(await screen.findByRole('dialog', { name: 'Receipt' }));
    // What was seen before is in the cache, so that no skeleton stands between the two receipts.
    await drawer.findByText(second);
    await user.click(screen.getByText(`Jump to ${first}`));
    await drawer.findByText(first);
    await user.click(drawer.getByRole('button', { name: 'Share' }));
    await user.click(drawer.getByRole('button', { name: 'Create link' }));
    await drawer.findByDisplayValue(new RegExp(`token-of-${first}`));
    await user.click(screen.getByText(`Jump to ${second}`));
    await drawer.findByText(second);
    expect(drawer.queryByDisplayValue(/token-of-/)).toBeNull();
  });

  it('says of a call that failed at its provider what to do next', async () => {
    const failed = { ...receiptOf(first), outcome: 'FAILED', errorCode: 'provider_rate_limited' };
    const calls = { ...answers, ...Object.fromEntries([['CallReceipt', answer({ data: { call: failed } })]]) };
    renderPage(<ReceiptDrawer requestId={first} onClose={() => undefined} />, calls);
    const drawer = within(await screen.findByRole('dialog', { name: 'Receipt' }));
    await drawer.findByText(/^Nothing was delivered.*Try again shortly, or use another model\.$/);
  });

  it.each([
    ['COMPLETED', /The model wrote nothing, or a filter withheld it, so nothing was charged/],
    ['ABANDONED', /disconnected before anything was written, so nothing was charged/],
  ])('says why a call that was %s is free', async (outcome, words) => {
    renderPage(<ReceiptDrawer requestId={`call_${outcome}`} onClose={() => undefined} />, freeAnswers);
    const drawer = within(await screen.findByRole('dialog', { name: 'Receipt' }));
    expect(await drawer.findByText(words)).toBeTruthy();
    expect(drawer.queryByText(/charged exactly|were charged/)).toBeNull();
  });
});
