import { Group, Skeleton, Stack } from '@mantine/core';
import { BusyButton } from '../components/buttons/busy-button';
import { CopyButton } from '../components/buttons/copy-button';
import { LoadingButton } from '../components/buttons/loading-button';
import { RetryButton } from '../components/buttons/retry-button';
import { CodeBlock } from '../components/code-block';
import { CopyableId } from '../components/copyable-id';
import { EmptyState } from '../components/empty-state';
import { ErrorPanel } from '../components/error-panel';
import { FormFault } from '../components/form-fault';
import { KeptNote } from '../components/forms/kept-note';
import { FullPageMessage } from '../components/full-page-message';
import * as icons from '../components/icons';
import { InPieces } from '../components/in-pieces';
import { LinkButton } from '../components/link-button';
import { LinkByOperator, MailboxLink } from '../components/link-by-operator';
import { Logo } from '../components/logo';
import { MarkdownText } from '../components/markdown-text';
import { OutcomeBadge } from '../components/outcome-badge';
import { RelativeTime } from '../components/relative-time';
import { RoleNotice } from '../components/role-notice';
import { SampleReceipt } from '../components/sample-receipt';
import { SignedInAs } from '../components/signed-in-as';
import { StatusBadge } from '../components/status-badge';
import { type CallOutcomeName, outcomeWords } from '../lib/requests/call-outcome';
import type { Sample } from './sample';

const outcomes = Object.keys(outcomeWords) as CallOutcomeName[];
const callId = 'call_01K0000000000000000000000';
const markdown =
  '## A heading\n\nA **bold** word, `code` and a list:\n\n- one\n- two\n\n```js\nconst toll = 0.001;\n```';

/** What says something, and what leads on. */
export const textSamples: readonly Sample[] = [
  { file: 'logo', shown: <Logo /> },
  {
    file: 'icons',
    shown: (
      <Group>
        {Object.entries(icons).map(([name, Icon]) => (
          <Icon key={name} />
        ))}
      </Group>
    ),
  },
  {
    file: 'status-badge',
    shown: (
      <Group>
        {(['pine', 'amber', 'red', 'gray'] as const).map((color) => (
          <StatusBadge key={color} color={color}>
            {color}
          </StatusBadge>
        ))}
      </Group>
    ),
  },
  {
    file: 'outcome-badge',
    shown: (
      <Group>
        {outcomes.map((outcome) => (
          <OutcomeBadge key={outcome} outcome={outcome} />
        ))}
      </Group>
    ),
  },
  { file: 'signed-in-as', shown: <SignedInAs email="ada@example.com" to="/" /> },
  { file: 'relative-time', shown: <RelativeTime at={new Date(Date.now() - 3_600_000).toISOString()} /> },
  { file: 'copyable-id', shown: <CopyableId id={callId} what="call id" /> },
  {
    file: 'copy-button',
    shown: (
      <Group>
        <CopyButton value={callId} what="call id" />
        <CopyButton value={callId} what="call id" withLabel />
      </Group>
    ),
  },
  { file: 'code-block', shown: <CodeBlock code={'curl https://gate.example/v1/models'} what="snippet" /> },
  { file: 'markdown-text', shown: <MarkdownText text={markdown} /> },
  { file: 'sample-receipt', shown: <SampleReceipt /> },
  { file: 'link-button', shown: <LinkButton to="/keys">Create a key</LinkButton> },
  { file: 'loading-button', shown: <LoadingButton loading>Save</LoadingButton> },
  { file: 'retry-button', shown: <RetryButton onRetry={() => null} /> },
  { file: 'busy-button', shown: <BusyButton isBusy>Saving …</BusyButton> },
  {
    file: 'empty-state',
    shown: (
      <EmptyState
        icon={<icons.IconReceipt size={24} />}
        title="Nothing yet"
        action={<LinkButton to="/">Begin</LinkButton>}
      >
        What would stand here, and what to do for it.
      </EmptyState>
    ),
  },
  {
    file: 'error-panel',
    shown: <ErrorPanel title="Your calls could not be loaded" error={new TypeError('fetch')} onRetry={() => null} />,
  },
  {
    file: 'in-pieces',
    shown: <InPieces outline={<Skeleton height={24} />}>Drawn in pieces, after its outline.</InPieces>,
  },
  { file: 'form-fault', shown: <FormFault fault="Choose at least one permission." /> },
  { file: 'kept-note', shown: <KeptNote isShown onDiscard={() => undefined} /> },
  {
    file: 'link-by-operator',
    shown: (
      <Stack>
        <span>
          <LinkByOperator command="invitation-link" email="bob@example.com" />
        </span>
        <span>
          <MailboxLink path="/mailbox" />
        </span>
      </Stack>
    ),
  },
  { file: 'role-notice', shown: <RoleNotice>To buy credits, ask an owner for the role billing.</RoleNotice> },
  {
    file: 'full-page-message',
    shown: (
      <Stack>
        <FullPageMessage title="Not found" isFramed action={<LinkButton to="/">Overview</LinkButton>}>
          There is no page at this address.
        </FullPageMessage>
      </Stack>
    ),
  },
];
