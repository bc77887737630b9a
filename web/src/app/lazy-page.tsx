import { type ComponentType, lazy, useState } from 'react';

export interface LazyPage {
  /** Shown without any wait once the code is there. */
  readonly Page: ComponentType;
  /** Fetches the code ahead of the showing. Never fails: a fault is met again, and told, when the page is shown. */
  readonly fetchCode: () => Promise<void>;
}

/** A page whose code is fetched when it is first shown, or earlier. */
export function lazyPage(load: () => Promise<{ default: ComponentType }>): LazyPage {
  let loaded: ComponentType | null = null;
  const fetchCode = async () => {
    const module = await load();
    loaded = module.default;
    return module;
  };
  const Lazy = lazy(fetchCode);
  // biome-ignore lint/correctness/noComponentHookFactories: one for each page, made when the module is read
  const Page = () => {
    // React's own way shows "loading" for a moment even when the code is there. Kept, since another component begins anew.
    const [Shown] = useState<ComponentType>(() => loaded ?? Lazy);
    return <Shown />;
  };
  return { Page, fetchCode: () => fetchCode().then(ignore, ignore) };
}

function ignore(): void {}
