import { useMutation } from '@apollo/client/react';
import { Alert, Anchor, PasswordInput, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { paths } from '../../../app/paths';
import { BusyButton } from '../../../components/buttons/busy-button';
import { CodeBlock } from '../../../components/code-block';
import { FormFault } from '../../../components/form-fault';
import { graphql } from '../../../gql';
import { failureSentences } from '../../../lib/forms/lost-answers';
import { graphqlErrorSentence } from '../../../lib/graphql-error-message';
import { OperatorCodeField, OperatorEmailField, useTextFields } from './operator-fields';

const StartJoiningDocument = graphql(`
  mutation OperatorStartJoining($token: String!) {
    operator {
      startJoining(token: $token) {
        role
        secret
        uri
      }
    }
  }
`);

const JoinDocument = graphql(`
  mutation OperatorJoin($input: OperatorJoinInput!) {
    operator {
      join(input: $input)
    }
  }
`);

const whenUnclear = {
  whether: 'whether you have joined',
  remedy: 'Sign in with this address and password. If they are refused, press again.',
};

/** Uses a link: who it is, a password, and an app for codes. */
export function OperatorJoin({ onIn }: { onIn: () => Promise<void> }) {
  const token = useLocation().hash.slice(1);
  const [start, { data }] = useMutation(StartJoiningDocument);
  const [fault, setFault] = useState<string | null>(null);
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    start({ variables: { token } }).catch((error: unknown) => setFault(graphqlErrorSentence(error)));
  }, [start, token]);

  if (fault !== null) return <FormFault fault={fault} />;
  if (!data) return <Skeleton height={320} aria-hidden="true" />;
  const { role, secret, uri } = data.operator.startJoining;
  return (
    <Stack gap="md">
      <Alert color="pine">Your role: {role.toLowerCase().replace('_', '-')}.</Alert>
      <Text size="sm">
        Enter this key in your authenticator app (time-based), or, on the device that has the app,{' '}
        <Anchor href={uri} underline="always">
          open it there
        </Anchor>
        .
      </Text>
      <CodeBlock code={secret.replace(/(.{4})(?=.)/g, '$1 ')} what="the key for your app" />
      <JoinForm token={token} onIn={onIn} />
    </Stack>
  );
}

function JoinForm({ token, onIn }: { token: string; onIn: () => Promise<void> }) {
  const [join] = useMutation(JoinDocument);
  const navigate = useNavigate();
  const { input, propsOf } = useTextFields({ email: '', name: '', password: '', code: '' });
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    setFault(null);
    setIsBusy(true);
    try {
      await join({ variables: { input: { ...input, token } } });
      await onIn();
      await navigate(paths.operator(), { replace: true });
    } catch (error) {
      setFault(failureSentences(error, whenUnclear));
      setIsBusy(false);
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)} aria-label="Join">
      <Stack gap="md">
        <FormFault fault={fault} />
        <OperatorEmailField {...propsOf('email')} />
        <TextInput name="name" label="Name" description="Shown in the log." required {...propsOf('name')} />
        <PasswordInput
          name="new-password"
          label="Password"
          description="At least 12 characters."
          autoComplete="new-password"
          required
          {...propsOf('password')}
        />
        <OperatorCodeField {...propsOf('code')} />
        <BusyButton type="submit" isBusy={isBusy}>
          {isBusy ? 'Joining …' : 'Join'}
        </BusyButton>
      </Stack>
    </form>
  );
}
