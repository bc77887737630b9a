import { useMutation } from '@apollo/client/react';
import { Anchor, Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { CodeBlock } from '../../components/code-block';
import { FormFault } from '../../components/form-fault';
import { graphql } from '../../gql';
import { failureSentences } from '../../lib/forms/lost-answers';
import { graphqlErrorMessage } from '../../lib/graphql-error-message';
import RecoveryCodeList from './recovery-code-list';

const StartAuthenticatorAppDocument = graphql(`
  mutation StartAuthenticatorApp {
    startAuthenticatorApp {
      secret
      uri
    }
  }
`);

const ConfirmAuthenticatorAppDocument = graphql(`
  mutation ConfirmAuthenticatorApp($input: ConfirmAuthenticatorAppInput!) {
    confirmAuthenticatorApp(input: $input)
  }
`);

const whenUnclear = {
  whether: 'whether the app is in force',
  remedy:
    'Load this page again and look. If it is, make new recovery codes: those that came with it were not shown to you.',
};

/** Gives the secret to an app, takes its first code, and shows the recovery codes. */
export default function NewAuthenticatorApp({ onDone }: { onDone: () => void }) {
  const [start, { data }] = useMutation(StartAuthenticatorAppDocument);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    start().catch((error: unknown) => setFault(graphqlErrorMessage(error)));
  }, [start]);

  if (codes !== null) return <RecoveryCodeList codes={codes} onSaved={onDone} />;
  if (fault !== null) return <FormFault fault={fault} />;
  if (!data) return <Skeleton height={240} aria-hidden="true" />;
  const { secret, uri } = data.startAuthenticatorApp;
  return (
    <Stack gap="md">
      <Text size="sm">
        Type this key into your authenticator app as a time-based one, or, on the device that has the app,{' '}
        <Anchor href={uri} underline="always">
          open it there
        </Anchor>
        .
      </Text>
      <CodeBlock code={secret.replace(/(.{4})(?=.)/g, '$1 ')} what="the key for your app" />
      <FirstCode onCodes={setCodes} onCancel={onDone} />
    </Stack>
  );
}

function FirstCode({ onCodes, onCancel }: { onCodes: (codes: readonly string[]) => void; onCancel: () => void }) {
  const [confirm, { loading }] = useMutation(ConfirmAuthenticatorAppDocument, { refetchQueries: ['Factors'] });
  const [code, setCode] = useState('');
  const [fault, setFault] = useState<string | null>(null);

  async function submit(event: FormEvent) {
    event.preventDefault();
    setFault(null);
    try {
      const { data } = await confirm({ variables: { input: { code } } });
      onCodes(data?.confirmAuthenticatorApp ?? []);
    } catch (error) {
      setFault(failureSentences(error, whenUnclear));
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)} aria-label="First code">
      <Stack gap="md">
        <TextInput
          name="one-time-code"
          label="Code"
          description="The six digits that the app shows now."
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={fault}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Not now
          </Button>
          <Button type="submit" disabled={loading || code === ''}>
            {loading ? 'Checking …' : 'Put it in force'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
