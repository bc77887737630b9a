import { useQuery } from '@apollo/client/react';
import { Anchor, Button, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { goToPart } from '../../app/go-to-part';
import { paths, serverPaths } from '../../app/paths';
import { CopyableId } from '../../components/copyable-id';
import { ErrorPanel } from '../../components/error-panel';
import { IconDownload } from '../../components/icons';
import { LinkButton } from '../../components/link-button';
import { RoleNotice } from '../../components/role-notice';
import { SectionCard } from '../../components/section-card';
import { graphql } from '../../gql';
import type { SettingsQuery } from '../../gql/graphql';
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

/** A part of the page, around its card. */
interface SettingsPart {
  readonly id: string;
  /** As its card has it. */
  readonly title: string;
}

/** Whoever looks has these. */
const everybodysParts: readonly SettingsPart[] = [
  { id: 'profile', title: 'Profile' },
  { id: 'members', title: 'Members' },
  { id: 'email', title: 'E-mail address' },
  { id: 'password', title: 'Password' },
  { id: 'passkeys', title: 'Passkeys' },
  { id: 'authenticator-app', title: 'Authenticator app' },
  { id: 'sessions', title: 'Sessions' },
];
const eventsPart: SettingsPart = { id: 'events', title: 'Activity' };
const ownParts: readonly SettingsPart[] = [
  { id: 'data', title: 'Your data' },
  { id: 'deletion', title: 'Delete the account' },
];

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
  const isOwn = isAtHome && role === 'OWNER';
  const mayManage = mayDo(role, 'manage');
  const parts = [...everybodysParts, ...(mayManage ? [eventsPart] : []), ...(isOwn ? ownParts : [])];
  return (
    <div className={classes.page}>
      <SettingsContents parts={parts} />
      <Stack gap="lg" miw={0}>
        <div id="profile">
          <Profile person={person} viewer={viewer} />
        </div>
        <div id="members">
          <SectionCard title="Members" description="Who has access to this account, and what they may do.">
            <LinkButton to={paths.members()} variant="default">
              Members
            </LinkButton>
          </SectionCard>
        </div>
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
          <div id="email" className={classes.beside}>
            <SectionCard
              title="E-mail address"
              description="A new address takes effect once you confirm it by e-mail. For a week, the change can be undone from the old one."
            >
              <EmailForm isMailSent={viewer.isMailSent} />
            </SectionCard>
          </div>
          <div id="password" className={classes.beside}>
            <SectionCard title="Password" description="Changing it signs you out everywhere else.">
              <PasswordForm email={person.email} />
            </SectionCard>
          </div>
        </SimpleGrid>
        <div id="passkeys">
          <Passkeys />
        </div>
        <LinkedIdentities />
        <div id="authenticator-app">
          <AuthenticatorApp />
        </div>
        <RecoveryCodes />
        <div id="sessions">
          <SessionList />
        </div>
        {mayManage && (
          <div id="events">
            <EventList />
          </div>
        )}
        {isOwn ? (
          <OwnAccount credits={wholeBalance(viewer.balance)} />
        ) : (
          <RoleNotice {...(isAtHome ? {} : { title: 'In your own account' })}>
            {isAtHome ? handedOverWords : awayWords}
          </RoleNotice>
        )}
      </Stack>
    </div>
  );
}

/** The parts of the page, each a way to its heading, from where the keyboard and a screen reader go on. */
function SettingsContents({ parts }: { parts: readonly SettingsPart[] }) {
  return (
    <nav aria-label="On this page" className={classes.contents}>
      <ul>
        {parts.map(({ id, title }) => (
          <li key={id}>
            <Anchor href={`#${id}`} c="dimmed" size="sm" fw={550} onClick={(event) => goToPart(event, id)}>
              {title}
            </Anchor>
          </li>
        ))}
      </ul>
    </nav>
  );
}

type Loaded = {
  readonly person: NonNullable<SettingsQuery['person']>;
  readonly viewer: NonNullable<SettingsQuery['viewer']>;
};

function Profile({ person, viewer }: Loaded) {
  const isAtHome = person.id === viewer.id;
  return (
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
                {nameInSentence(viewer.name)}, with the role {roleWords[viewer.role ?? 'VIEWER']}
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
  );
}

const awayWords = 'To download your data or delete your account, switch to your own account in the menu at the top.';
const handedOverWords = 'Only the owner can download or delete the account, and you have transferred the ownership.';

function OwnAccount({ credits }: { credits: number }) {
  return (
    <>
      <div id="data">
        <SectionCard title="Your data">
          <div className={classes.action}>
            <Text size="sm" maw={560}>
              Everything stored about you: account, members, keys, webhooks, purchases and statement. Prompts and
              answers are included only if you saved them.
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
      </div>
      <div id="deletion">
        <DeleteAccount credits={credits} />
      </div>
    </>
  );
}
