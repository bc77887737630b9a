import type { UpstreamCall, UpstreamClient } from '../providers/call-upstream.js';
import type { UpstreamEvent } from '../providers/provider-adapter.js';

/**
 * The events of a call as something to iterate over. The call begins with the first one that is asked for, is held up while none is, and
 * is broken off when the reader stops.
 */
export async function* pullEvents(
  client: Pick<UpstreamClient, 'call'>,
  call: UpstreamCall,
): AsyncGenerator<UpstreamEvent, void, undefined> {
  const waiting: UpstreamEvent[] = [];
  let goOn = () => {};
  let wake = () => {};
  let isOver = false;
  const taker = {
    hasEnough: false,
    take(event: UpstreamEvent) {
      waiting.push(event);
      wake();
      return new Promise<void>((resolve) => {
        goOn = resolve;
      });
    },
  };
  const running = client.call(call, taker).finally(() => {
    isOver = true;
    wake();
  });
  // Awaited below, once all that came before has been read.
  running.catch(() => {});
  try {
    for (;;) {
      if (waiting.length === 0 && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const event = waiting.shift();
      if (event === undefined) break;
      yield event;
      goOn();
    }
    await running;
  } finally {
    taker.hasEnough = true;
    goOn();
  }
}
