import { Suspense } from 'react';
import { Outlet } from 'react-router';
import { RecordSkeleton } from '../../components/record-table';
import { PublicFrame } from '../../features/public/public-frame';
import { LateAnnouncements } from '../late-announcements';

/** The frame of what anybody may see, for whoever is not signed in */
export default function PublicFrameRoute() {
  return (
    <PublicFrame>
      <LateAnnouncements />
      <Suspense fallback={<RecordSkeleton rows={8} />}>
        <Outlet />
      </Suspense>
    </PublicFrame>
  );
}
