/*
 * The storage of a browser, which it may not have, or forbid: then already naming it throws. The lint refuses the names elsewhere.
 */

/** What lives as long as the tab and is shared with nobody; null: there is none here. A write may still fail, where it is full. */
export function findTabStorage(): Storage | null {
  return find(() => sessionStorage);
}

/** What all pages of this browser share, and keep; null: there is none here. A write may still fail, where it is full. */
export function findLocalStorage(): Storage | null {
  return find(() => localStorage);
}

// Some browsers answer null where others throw.
function find(name: () => Storage | null): Storage | null {
  try {
    return name();
  } catch {
    return null;
  }
}
