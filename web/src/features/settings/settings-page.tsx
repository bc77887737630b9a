import { useQuery } from '@apollo/client/react';
import { Button, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { paths, serverPaths } from '../../app/paths';
import { CopyableId } from '../../components/copyable-id';
import { ErrorPanel } from '../../components/error-panel';
import { IconDownload } from '../../components/icons';
import { LinkButton } from '../../components/link-button';
import { RoleNotice } from '../../components/role-notice';
import { SectionCard } from '../../components/section-card';
import { graphql } from '../../gql';
import { groupThousands } from '../../lib/format/format-credits';
import { formatAbsoluteTime, formatDay } from '../../lib/format/format-time';
import { nameInSentence } from '../../lib/format/name-in-sentence';
import { wholeBalance } from '../../lib/format/whole-balance';
import { mayDo, roleWords } from '../../lib/session/roles';
import { useWhenSeenAgain } from '../../lib/session/use-when-seen-again';
import { AuthenticatorApp } from './authenticator-app';
import { DeleteAccount } from './delete-account';
import { EmailAddress } from './email-address';
import { EmailForm } from './email-form';
import { EventList } from './event-list';
import { LinkedIdentities } from './linked-identities';
import { Passkeys } from './passkeys';
import { PasswordForm } from './password-form';
import { ProfileForm } from './profile-form';
import { RecoveryCodes } from './recovery-codes';
import { SessionList } from './session-list';
import classes from './settings.module.css';

const SettingsDocument = graphql(`
  query Settings {
    person {
      id
      name
      email
      emailVerifiedAt
    }
    viewer {
      id
      name
      role
      isMailSent
      createdAt
      requestsPerMinute
      keysMax
      receiptsKeptDays
      balance {
        available
        held
      }
    }
    # With the rest, so that the words about mail are whole at once: a line that comes later moves all below it.
    mailboxPath
  }
`);

/** The account itself: who it is, how it is guarded, what is known of it, and its end. */
export function SettingsPage() {
  const { data, error, refetch } = useQuery(SettingsDocument);
  // The address may have been confirmed in another tab.
  useWhenSeenAgain(refetch);
  const viewer = data?.viewer;
  const person = data?.person;
  if (!viewer || !person) {
    if (error) return <ErrorPanel title="Your settings could not be loaded" error={error} onRetry={refetch} />;
    // So high that what stands below the cards that come there is out of sight, and does not move under whoever reads it.
    return <Skeleton height={1200} radius="lg" aria-hidden="true" />;
  }
  // What is about the person stays theirs, whichever account they act for; the rest is about that account.
  const isAtHome = person.id === viewer.id;
  const role = viewer.role ?? 'VIEWER';
  return (
    <Stack gap="lg">
      <SectionCard title="Profile">
        <ProfileForm name={person.name} />
        <dl className={classes.facts}>
          <div>
            <dt>E-mail</dt>
            <dd>
              <EmailAddress
                email={person.email}
                isVerified={person.emailVerifiedAt !== null}
                isMailSent={viewer.isMailSent}
              />
            </dd>
          </div>
          <div>
            <dt>Account</dt>
            <dd>
              <CopyableId id={viewer.id} what="account id" />
              {!isAtHome && (
                <div>
                  {nameInSentence(viewer.name)}, with the role {roleWords[role]}
                </div>
              )}
            </dd>
          </div>
          <div>
            <dt>Since</dt>
            <dd title={formatAbsoluteTime(viewer.createdAt)}>{formatDay(viewer.createdAt)}</dd>
          </div>
          <div>
            <dt>Limits</dt>
            <dd>
              {groupThousands(viewer.requestsPerMinute)} requests per minute, {viewer.keysMax}{' '}
              {viewer.keysMax === 1 ? 'key' : 'keys'} at a time
            </dd>
          </div>
          {viewer.receiptsKeptDays !== null && (
            <div>
              <dt>Receipts</dt>
              <dd>kept for {viewer.receiptsKeptDays} days after their month; sums and the statement stay</dd>
            </div>
          )}
        </dl>
      </SectionCard>
      <SectionCard title="Members" description="Who may see this account, and act for it.">
        <LinkButton to={paths.members()} variant="default">
          Members
        </LinkButton>
      </SectionCard>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <SectionCard
          title="E-mail address"
          description="A new one is yours once you confirm it by mail. For a week the old one can undo that."
        >
          <EmailForm isMailSent={viewer.isMailSent} />
        </SectionCard>
        <SectionCard title="Password" description="A new one ends every session but this one.">
          <PasswordForm email={person.email} />
        </SectionCard>
      </SimpleGrid>
      <Passkeys />
      <LinkedIdentities />
      <AuthenticatorApp />
      <RecoveryCodes />
      <SessionList />
      {mayDo(role, 'manage') && <EventList />}
      {isAtHome && role === 'OWNER' ? (
        <OwnAccount credits={wholeBalance(viewer.balance)} />
      ) : (
        <RoleNotice {...(isAtHome ? {} : { title: 'In your own account' })}>
          {isAtHome ? handedOverWords : awayWords}
        </RoleNotice>
      )}
    </Stack>
  );
}

const awayWords =
  'All that is stored about you, and the end of your account, are here when you switch to your own account in the menu at the top.';
const handedOverWords =
  'To download all of the account, or to delete it, takes its owner, and you have transferred the ownership.';

function OwnAccount({ credits }: { credits: number }) {
  return (
    <>
      <SectionCard title="Your data">
        <div className={classes.action}>
          <Text size="sm" maw={560}>
            What is stored about you: account, members, keys, webhooks, purchases and statement. Prompts and answers are
            stored only where you save a prompt or keep conversations, and are in the file then.
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
      <DeleteAccount credits={credits} />
    </>
  );
}
