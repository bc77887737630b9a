import { TransformStream } from 'node:stream/web';
import { TextDecoder, TextEncoder } from 'node:util';

/** What components ask of a browser and jsdom does not have. In tests without a document there is nothing to add. */
if (typeof window !== 'undefined') {
  class Observer {
    observe() {}
    unobserve() {}
    disconnect() {}
  }
  const ofNode = { TextEncoder, TextDecoder, TransformStream };
  Object.assign(globalThis, { ...ofNode, ResizeObserver: Observer, IntersectionObserver: Observer });
  Object.assign(window, {
    matchMedia: (media: string) => ({
      media,
      matches: false,
      onchange: null,
      addListener() {},
      removeListener() {},
      addEventListener() {},
      removeEventListener() {},
      dispatchEvent: () => false,
    }),
  });
  Element.prototype.scrollIntoView = () => undefined;
  window.scrollTo = () => undefined;
}
