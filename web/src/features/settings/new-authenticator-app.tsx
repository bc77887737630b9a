import { useMutation } from '@apollo/client/react';
import { Anchor, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { BusyButton } from '../../components/buttons/busy-button';
import { CodeBlock } from '../../components/code-block';
import { FormFault } from '../../components/form-fault';
import { useHeldDialog } from '../../components/shown-once-modal';
import { graphql } from '../../gql';
import { failureSentences } from '../../lib/forms/lost-answers';
import { graphqlErrorMessage } from '../../lib/graphql-error-message';
import { RecoveryCodeList } from './recovery-code-list';
import { UnseenCodes } from './unseen-codes';
import { useAskFactors } from './use-ask-factors';

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
  whether: 'whether the app is set up',
  remedy:
    'Reload this page to check. If it is, create new recovery codes, because you have not seen the ones that came with it.',
};

/**
 * Gives the secret to an app, takes its first code, and shows the recovery codes. Where they were lost with their answer, it says so and
 * has new ones made.
 */
export default function NewAuthenticatorApp({ onDone }: { onDone: () => void }) {
  const [start, { data }] = useMutation(StartAuthenticatorAppDocument);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [isInForce, setInForce] = useState(false);
  const { askNow } = useAskFactors();
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    start().catch(async (error: unknown) => {
      if (!(await findInForce())) setFault(graphqlErrorMessage(error));
    });
  });

  /** After any failure: an answer that was lost before may have put an app in force. */
  async function findInForce(): Promise<boolean> {
    const now = await askNow();
    const isThere = now !== null && now.authenticatorAppSince !== null;
    setInForce(isThere);
    return isThere;
  }

  if (codes !== null) return <RecoveryCodeList codes={codes} onSaved={onDone} />;
  if (isInForce) return <UnseenCodes title="An app is already set up" onDone={onDone} />;
  if (fault !== null) return <FormFault fault={fault} />;
  if (!data) return <Skeleton height={240} aria-hidden="true" />;
  const { secret, uri } = data.startAuthenticatorApp;
  return (
    <Stack gap="md">
      <Text size="sm">
        Enter this key in your authenticator app (time-based), or, on the device that has the app,{' '}
        <Anchor href={uri} underline="always">
          open it there
        </Anchor>
        .
      </Text>
      <CodeBlock code={secret.replace(/(.{4})(?=.)/g, '$1 ')} what="the key for your app" />
      <FirstCode onCodes={setCodes} findInForce={findInForce} onCancel={onDone} />
    </Stack>
  );
}

interface FirstCodeProps {
  onCodes: (codes: readonly string[]) => void;
  /** Whether an app is in force by now. */
  findInForce: () => Promise<boolean>;
  onCancel: () => void;
}

function FirstCode({ onCodes, findInForce, onCancel }: FirstCodeProps) {
  const [confirm, { loading }] = useMutation(ConfirmAuthenticatorAppDocument, { refetchQueries: ['Factors'] });
  useHeldDialog({ isHeld: loading });
  const [code, setCode] = useState('');
  const [fault, setFault] = useState<string | null>(null);

  async function submit(event: FormEvent) {
    event.preventDefault();
    setFault(null);
    try {
      const { data } = await confirm({ variables: { input: { code } } });
      onCodes(data?.confirmAuthenticatorApp ?? []);
    } catch (error) {
      if (!(await findInForce())) setFault(failureSentences(error, whenUnclear));
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
          <BusyButton variant="default" isBusy={loading} onClick={onCancel}>
            Cancel
          </BusyButton>
          <BusyButton type="submit" isBusy={loading} disabled={code === ''}>
            {loading ? 'Checking …' : 'Turn on'}
          </BusyButton>
        </Group>
      </Stack>
    </form>
  );
}
