import { type ComponentType, lazy } from 'react';

export interface LazyPage {
  /** Shown without any wait once the code is there. */
  readonly Page: ComponentType;
  /** Fetches the code ahead of the showing. Never fails: a fault is met again, and told, when the page is shown. */
  readonly fetchCode: () => Promise<void>;
}

/** A page whose code is fetched when it is first shown, or earlier. */
export function lazyPage(load: () => Promise<{ default: ComponentType }>): LazyPage {
  let loaded: { default: ComponentType } | null = null;
  const fetchCode = async () => {
    loaded = await load();
    return loaded;
  };
  // A promise that is kept already still costs React one picture of "loading"; this answers at once.
  const Page = lazy(() => (loaded === null ? fetchCode() : answerAtOnce(loaded)));
  return { Page, fetchCode: () => fetchCode().then(ignore, ignore) };
}

function answerAtOnce(value: { default: ComponentType }): Promise<{ default: ComponentType }> {
  const promise = Promise.resolve(value);
  const then: typeof promise.then = (onValue, onFault) => {
    onValue?.(value);
    return promise.then(onValue, onFault);
  };
  return Object.assign(promise, { then });
}

function ignore(): void {}
