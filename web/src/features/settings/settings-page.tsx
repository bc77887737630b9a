import { useQuery } from '@apollo/client/react';
import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { serverPaths } from '../../app/paths';
import { CopyableId } from '../../components/copyable-id';
import { ErrorPanel } from '../../components/error-panel';
import { SectionCard } from '../../components/section-card';
import { graphql } from '../../gql';
import { formatAbsoluteTime, formatDay } from '../../lib/format-time';
import { AuthenticatorApp } from './authenticator-app';
import { DeleteAccount } from './delete-account';
import { EmailAddress } from './email-address';
import { EmailForm } from './email-form';
import { EventList } from './event-list';
import { Passkeys } from './passkeys';
import { PasswordForm } from './password-form';
import { ProfileForm } from './profile-form';
import { RecoveryCodes } from './recovery-codes';
import { SessionList } from './session-list';
import classes from './settings.module.css';

const SettingsDocument = graphql(`
  query Settings {
    viewer {
      id
      name
      email
      emailVerifiedAt
      isMailSent
      createdAt
      requestsPerMinute
      keysMax
      balance {
        available
        held
      }
    }
  }
`);

/** The account itself: who it is, how it is guarded, what is known of it, and its end. */
export function SettingsPage() {
  const { data, error, refetch } = useQuery(SettingsDocument);
  const viewer = data?.viewer;
  if (!viewer) {
    if (error) return <ErrorPanel title="Your settings could not be loaded" error={error} onRetry={refetch} />;
    return <Skeleton height={360} radius="lg" aria-hidden="true" />;
  }
  return (
    <Stack gap="lg">
      <SectionCard title="Profile">
        <ProfileForm name={viewer.name} />
        <dl className={classes.facts}>
          <div>
            <dt>E-mail</dt>
            <dd>
              <EmailAddress
                email={viewer.email}
                isVerified={viewer.emailVerifiedAt !== null}
                isMailSent={viewer.isMailSent}
              />
            </dd>
          </div>
          <div>
            <dt>Account</dt>
            <dd>
              <CopyableId id={viewer.id} what="account id" />
            </dd>
          </div>
          <div>
            <dt>Since</dt>
            <dd title={formatAbsoluteTime(viewer.createdAt)}>{formatDay(viewer.createdAt)}</dd>
          </div>
          <div>
            <dt>Limits</dt>
            <dd>
              {viewer.requestsPerMinute} requests per minute, {viewer.keysMax} {viewer.keysMax === 1 ? 'key' : 'keys'}{' '}
              at a time
            </dd>
          </div>
        </dl>
      </SectionCard>
      <SectionCard
        title="E-mail address"
        description="Another one holds once you confirm it by mail. For a week it can be taken back at the present one."
      >
        <EmailForm isMailSent={viewer.isMailSent} />
      </SectionCard>
      <SectionCard title="Password" description="A new one ends every session but this one.">
        <PasswordForm email={viewer.email} />
      </SectionCard>
      <Passkeys />
      <AuthenticatorApp />
      <RecoveryCodes />
      <SessionList />
      <EventList />
      <SectionCard title="Your data">
        <div className={classes.action}>
          <Text size="sm" maw={560}>
            Everything that is stored about you: account, keys, purchases and statement. Prompts and answers are never
            stored.
          </Text>
          <Button
            component="a"
            href={serverPaths.accountJson()}
            download
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            Download as JSON
          </Button>
        </div>
      </SectionCard>
      <DeleteAccount credits={viewer.balance.available} />
    </Stack>
  );
}
