import { Suspense } from 'react';
import { Outlet } from 'react-router';
import { RecordSkeleton } from '../../components/tables/record-table';
import { Announcements } from '../../features/announcements/announcements';
import { PublicFrame } from '../../features/public/public-frame';

/** The frame of what anybody may see, for whoever is not signed in */
export default function PublicFrameRoute() {
  return (
    <PublicFrame>
      <Announcements />
      <Suspense fallback={<RecordSkeleton rows={8} />}>
        <Outlet />
      </Suspense>
    </PublicFrame>
  );
}
