import { PageHeader } from '../../components/page-header';
import { SettingsPage } from '../../features/settings/settings-page';
import { pageHeadings } from '../page-headings';

/** /settings */
export default function SettingsRoute() {
  return (
    <>
      <PageHeader {...pageHeadings.settings} />
      <SettingsPage />
    </>
  );
}
