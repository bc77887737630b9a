import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorPanel } from '../../../components/error-panel';
import { RelativeTime } from '../../../components/relative-time';
import { SectionCard } from '../../../components/section-card';
import { RecordSkeleton, RecordTable } from '../../../components/tables/record-table';
import { graphql } from '../../../gql';
import type { OperatorSignUpMode, OperatorSignUpQuery } from '../../../gql/graphql';
import { formatDay } from '../../../lib/format/format-time';
import { type Act, ActDialog } from '../act-dialog';
import { showOnce } from '../act-words';
import type { May } from '../operator-console';
import { readAgain } from '../read-again';

const SignUpDocument = graphql(`
  query OperatorSignUp {
    operator {
      signUp {
        mode
        reason
        setBy
        setAt
        isMailSent
        invitations {
          id
          email
          createdBy
          createdAt
          expiresAt
        }
      }
    }
  }
`);

const SetModeDocument = graphql(`
  mutation OperatorSetSignUpMode($input: OperatorSignUpModeInput!) {
    operator {
      setSignUpMode(input: $input)
    }
  }
`);

const InviteDocument = graphql(`
  mutation OperatorInviteToSignUp($input: OperatorInviteInput!) {
    operator {
      inviteToSignUp(input: $input) {
        link
      }
    }
  }
`);

const WithdrawDocument = graphql(`
  mutation OperatorWithdrawInvitation($id: ID!, $reason: String!) {
    operator {
      withdrawInvitation(id: $id, reason: $reason)
    }
  }
`);

type SignUp = OperatorSignUpQuery['operator']['signUp'];

const modes: readonly { mode: OperatorSignUpMode; label: string; words: string }[] = [
  { mode: 'OPEN', label: 'Open sign-up', words: 'Anyone who is not blocked can create an account.' },
  { mode: 'INVITED', label: 'By invitation only', words: 'Only invited people can create an account.' },
  { mode: 'CLOSED', label: 'Close sign-up', words: 'Nobody can create an account, invited or not.' },
];
const emailField = { name: 'email', label: 'E-mail', description: 'The account has to be created with this address.' };

/** Who can make an account, and who is invited to. */
export function SignUpCard({ may }: { may: May }) {
  const { data, error, refetch } = useQuery(SignUpDocument);
  const [act, setAct] = useState<Act | null>(null);
  const signUp = data?.operator.signUp;
  if (!signUp) {
    if (error)
      return <ErrorPanel title="The settings of sign-up could not be loaded" error={error} onRetry={refetch} />;
    return <RecordSkeleton rows={2} />;
  }
  const ask = (wanted: Act) =>
    setAct({
      ...wanted,
      run: async (input) => {
        const words = await wanted.run(input);
        await readAgain(refetch);
        return words;
      },
    });
  return (
    <SectionCard title="Sign-up" description={modes.find(({ mode }) => mode === signUp.mode)?.words ?? ''}>
      <Stack gap="md">
        {signUp.setAt && (
          <Text size="sm">
            Set by {signUp.setBy} <RelativeTime at={signUp.setAt} />: {signUp.reason}
          </Text>
        )}
        <Invitations signUp={signUp} may={may} onAsk={ask} />
        <Group>
          <ModeButtons signUp={signUp} may={may} onAsk={ask} />
          <InviteButtons signUp={signUp} may={may} onAsk={ask} />
        </Group>
      </Stack>
      {act && <ActDialog act={act} onClose={() => setAct(null)} />}
    </SectionCard>
  );
}

interface PartProps {
  signUp: SignUp;
  may: May;
  onAsk: (act: Act) => void;
}

function ModeButtons({ signUp, may, onAsk }: PartProps) {
  const [setMode] = useMutation(SetModeDocument);
  if (!may('setSignUpMode')) return null;
  const toSet = ({ mode, label, words }: (typeof modes)[number]): Act => ({
    label,
    words: `${words} This applies on every server at once. Existing accounts are not affected.`,
    run: async ({ reason }) => {
      await setMode({ variables: { input: { mode, reason } } });
      return null;
    },
  });
  return (
    <>
      {modes
        .filter(({ mode }) => mode !== signUp.mode)
        .map((one) => (
          <Button key={one.mode} size="xs" variant="default" onClick={() => onAsk(toSet(one))}>
            {one.label}
          </Button>
        ))}
    </>
  );
}

function Invitations({ signUp, may, onAsk }: PartProps) {
  const [withdraw] = useMutation(WithdrawDocument);
  const toWithdraw = ({ id, email }: { id: string; email: string }): Act => ({
    label: 'Revoke the invitation',
    words: `The link for ${email} no longer works.`,
    run: async ({ reason }) => {
      await withdraw({ variables: { id, reason } });
      return null;
    },
  });
  if (signUp.invitations.length === 0) return null;
  return (
    <RecordTable
      label="Invitations"
      rows={signUp.invitations}
      keyOf={({ id }) => id}
      columns={[
        { header: 'Invited', card: 'title', cell: ({ email }) => email },
        { header: 'By', cell: ({ createdBy }) => createdBy },
        { header: 'Since', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
        { header: 'Good until', cell: ({ expiresAt }) => formatDay(expiresAt) },
        {
          header: 'Actions',
          cell: (invitation) =>
            may('withdrawInvitation') && (
              <Button
                size="xs"
                variant="default"
                aria-label={`Revoke the invitation of ${invitation.email}`}
                onClick={() => onAsk(toWithdraw(invitation))}
              >
                Revoke
              </Button>
            ),
        },
      ]}
    />
  );
}

function InviteButtons({ signUp, may, onAsk }: PartProps) {
  const [invite] = useMutation(InviteDocument);
  const toInvite = ({ isMailed }: { isMailed: boolean }): Act => ({
    label: isMailed ? 'Invite by mail' : 'Invite by a link',
    words: `${isMailed ? 'An e-mail with a link' : 'A link, shown once, for you to pass on'}: good for seven days and one use, unless sign-up is closed.`,
    fields: [emailField],
    keptAs: 'sign-up invitation',
    run: async ({ reason, values }) => {
      const { data } = await invite({ variables: { input: { email: values.email ?? '', isMailed, reason } } });
      return showOnce(data?.operator.inviteToSignUp.link);
    },
  });
  if (!may('inviteToSignUp')) return null;
  return (
    <>
      {signUp.isMailSent && (
        <Button size="xs" variant="default" onClick={() => onAsk(toInvite({ isMailed: true }))}>
          Invite by mail
        </Button>
      )}
      <Button size="xs" variant="default" onClick={() => onAsk(toInvite({ isMailed: false }))}>
        Invite by a link
      </Button>
    </>
  );
}
