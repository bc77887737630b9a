import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { CallerPresence } from './caller-presence.js';
import { RetryOffer } from './retry-offer.js';

const request = { accountId: 'acct_1', apiKeyId: 'key_1', body: '{}', retryCount: 0 };

/** A plain call, with what is written down for its retry. */
function openCall() {
  const written: string[] = [];
  const response = Object.assign(new EventEmitter(), { destroyed: false, writableFinished: false });
  const answers = {
    enter: () => () => {},
    offer: async () => void written.push('offered'),
    keep: async (_request: unknown, _call: unknown, answer: unknown) => void written.push(`kept ${answer}`),
    withdraw: async () => void written.push('withdrawn'),
  };
  const offer = new RetryOffer(request, 'call_1', new CallerPresence(response as unknown as ServerResponse), answers);
  return { offer, written, leave: () => response.emit('close') };
}

describe('RetryOffer', () => {
  it('offers a call whose caller leaves, and withdraws it when it fails', async () => {
    const { offer, written, leave } = openCall();
    leave();
    await offer.close();
    expect(written).toEqual(['offered', 'withdrawn']);
  });

  it('offers nothing of a call that had failed before its caller left: no retry would see the end of it', async () => {
    const { offer, written, leave } = openCall();
    await offer.close();
    leave();
    expect(written).toEqual([]);
  });

  it('keeps a billed answer whose caller leaves before it is written, also when the call has ended by then', async () => {
    const { offer, written, leave } = openCall();
    await offer.keep('answer');
    expect(written).toEqual([]);
    await offer.close();
    leave();
    expect(written).toEqual(['kept answer']);
  });

  it('keeps the answer of a caller who has left once, and withdraws nothing', async () => {
    const { offer, written, leave } = openCall();
    leave();
    await offer.keep('answer');
    await offer.close();
    expect(written).toEqual(['offered', 'kept answer']);
  });

  it.each([
    ['an answer of bytes, while its caller is there, is', [Buffer.alloc(5 * 1024 * 1024)], 'kept null'],
    ['an answer that was never put together is', () => ['a', 'b'], 'kept null'],
    ['one of bytes that is short is', [Buffer.from('ab'), Buffer.from('c')], 'kept abc'],
  ])(
    'remembers as billed what is too large to be kept, so that a retry makes no second call: %s',
    async (_, answer, kept) => {
      const { offer, written, leave } = openCall();
      await offer.keep(answer);
      leave();
      await offer.close();
      expect(written).toEqual([kept]);
    },
  );
});
