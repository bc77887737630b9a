import { type ComponentType, lazy, useState } from 'react';
import { CodeMissingError } from '../lib/load-in-the-end';

export interface LazyPage {
  /** Shown without any wait once the code is there. */
  readonly Page: ComponentType;
  /** Fetches the code ahead of the showing. Never fails: a fault is met again, and told, when the page is shown. */
  readonly fetchCode: () => Promise<void>;
}

const renewals = new Set<() => void>();

/** Pages whose code could not be fetched ask for it anew when they are next shown. Not before the failure was shown. */
export function forgetMissingCode(): void {
  for (const renew of renewals) renew();
  renewals.clear();
}

/** A page whose code is fetched when it is first shown, or earlier. */
export function lazyPage(load: () => Promise<{ default: ComponentType }>): LazyPage {
  let loaded: ComponentType | null = null;
  const fetchCode = async () => {
    try {
      const module = await load();
      loaded = module.default;
      return module;
    } catch (cause) {
      // React keeps a failure for ever.
      renewals.add(() => {
        Lazy = lazy(fetchCode);
      });
      throw new CodeMissingError({ cause });
    }
  };
  let Lazy = lazy(fetchCode);
  // biome-ignore lint/correctness/noComponentHookFactories: one for each page, made when the module is read
  const Page = () => {
    // React's own way shows "loading" for a moment even when the code is there. Kept, since another component begins anew.
    const [Shown] = useState<ComponentType>(() => loaded ?? Lazy);
    return <Shown />;
  };
  return { Page, fetchCode: () => fetchCode().then(ignore, ignore) };
}

function ignore(): void {}
