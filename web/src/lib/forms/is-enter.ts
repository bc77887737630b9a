import type { KeyboardEvent } from 'react';

/**
 * Whether somebody has pressed Enter to go on. The Enter that ends a word of Japanese, Chinese or Korean is none: browsers tell of it while
 * they compose, and Safari right afterwards, with the key code 229.
 */
export function isEnter({ key, nativeEvent }: KeyboardEvent): boolean {
  return key === 'Enter' && !nativeEvent.isComposing && nativeEvent.keyCode !== 229;
}
