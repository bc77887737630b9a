import { PageHeader } from '../../components/page-header';
import { SettingsPage } from '../../features/settings/settings-page';

/** /settings */
export default function SettingsRoute() {
  return (
    <>
      <PageHeader title="Settings" description="Your account, and who may get into it." />
      <SettingsPage />
    </>
  );
}
