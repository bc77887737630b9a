/** @jest-environment jsdom */
import { screen, within } from '@testing-library/react';
import { useState } from 'react';
import { renderPage } from '../../test/render-page';
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
    await user.click(drawer.getByRole('button', { name: 'Make a link' }));
    await drawer.findByDisplayValue(new RegExp(`token-of-${first}`));
    await user.click(screen.getByText(`Jump to ${second}`));
    await drawer.findByText(second);
    expect(drawer.queryByDisplayValue(/token-of-/)).toBeNull();
  });
});
