import { useEffect, useState } from 'react';
import { endSessionOfTab } from '../../lib/session/session-end';
import { isTabOfAnother, noteOwner, noteShownOwner, onOwnerElsewhere } from '../../lib/session/session-owner';

/**
 * Ends what this tab has of an earlier session once the session is another person's or account's, however it began and in whichever
 * page of the browser, and loads the page anew. Whoever signs in again to the same account finds all as it was.
 * @param owner null: the server has not said so, or it is nobody's.
 * @returns whether the page is of another: nothing is to be shown until it is loaded anew.
 */
export function useSessionOwner(owner: string | null): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    // A whole new page: nothing of the other session stays in memory.
    const beginAnew = () => {
      endSessionOfTab();
      setOver(true);
      window.location.reload();
    };
    if (owner !== null && isTabOfAnother(owner)) beginAnew();
    else noteShownOwner(owner);
    // After the end, which forgets it as well; the next page finds it.
    if (owner !== null) noteOwner(owner);
    return onOwnerElsewhere(beginAnew);
  }, [owner]);
  useEffect(() => () => noteShownOwner(null), []);
  return isOver || (owner !== null && isTabOfAnother(owner));
}
