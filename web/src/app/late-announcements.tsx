import { lazy, Suspense } from 'react';
import { loadInTheEnd } from '../lib/load-in-the-end';

/** The first page is there and at rest by then. */
const loadAfterMs = 1_500;

const Announcements = lazy(async () => {
  await new Promise((resolve) => setTimeout(resolve, loadAfterMs));
  const { Announcements } = await loadInTheEnd(() => import('../features/announcements/announcements'));
  return { default: Announcements };
});

/** What the operators tell everybody, above a page; it takes nothing from the first paint. */
export function LateAnnouncements() {
  return (
    <Suspense fallback={null}>
      <Announcements />
    </Suspense>
  );
}
