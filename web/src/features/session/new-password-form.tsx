import { Checkbox, PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useLocation } from 'react-router';
import { paths } from '../../app/paths';
import { BusyButton } from '../../components/buttons/busy-button';
import { FormFault } from '../../components/form-fault';
import { LinkButton } from '../../components/link-button';
import { SignedInAs } from '../../components/signed-in-as';
import { failureSentences } from '../../lib/forms/lost-answers';
import { graphqlErrorField } from '../../lib/graphql-error-message';
import { useOtherSession } from '../../lib/session/use-other-session';
import { passwordFault } from '../../lib/session/validate-credentials';

/** What a mailed link and its owner say together. */
export interface NewPassword {
  readonly token: string;
  readonly newPassword: string;
  readonly revokeKeys: boolean;
}

interface NewPasswordFormProps {
  readonly label: string;
  readonly action: string;
  readonly done: string;
  /** What is said when no clear answer came. */
  readonly whenUnclear: Parameters<typeof failureSentences>[1];
  /** @throws what the server refused. */
  submitPassword(input: NewPassword): Promise<unknown>;
}

/** Chooses a password by the token behind the # of the address. */
export function NewPasswordForm({ label, action, done, whenUnclear, submitPassword }: NewPasswordFormProps) {
  const token = useLocation().hash.slice(1);
  const { other, look } = useOtherSession();
  const [fault, setFault] = useState<string | null>(null);
  const [standing, setStanding] = useState<'open' | 'busy' | 'done'>('open');
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { newPassword: '', revokeKeys: false },
    validate: { newPassword: passwordFault },
  });

  async function submit(values: { newPassword: string; revokeKeys: boolean }) {
    setFault(null);
    setStanding('busy');
    try {
      await submitPassword({ token, ...values });
      await look();
      setStanding('done');
    } catch (error) {
      const field = graphqlErrorField(error, ['newPassword']);
      const words = failureSentences(error, whenUnclear);
      if (field === null) setFault(words);
      else form.setFieldError(field, words);
      setStanding('open');
    }
  }

  if (standing === 'done') {
    return (
      <Stack gap="md">
        <Text role="status">{done}</Text>
        {other === null ? (
          <LinkButton to={paths.signIn()}>Sign in</LinkButton>
        ) : (
          <SignedInAs email={other} to={paths.signIn()} />
        )}
      </Stack>
    );
  }
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate aria-label={label}>
      <Stack gap="md">
        <FormFault
          fault={token === '' ? 'The link is incomplete. Open it from the e-mail, or ask for another one.' : fault}
        />
        <PasswordInput
          name="new-password"
          label="New password"
          description="8 to 128 characters. You will be signed out everywhere."
          autoComplete="new-password"
          required
          key={form.key('newPassword')}
          {...form.getInputProps('newPassword')}
        />
        <Checkbox
          label="Also revoke all API keys"
          description="Choose this if somebody else may have had access to your account. Programs that use a key stop working."
          key={form.key('revokeKeys')}
          {...form.getInputProps('revokeKeys', { type: 'checkbox' })}
        />
        <BusyButton type="submit" size="md" isBusy={standing === 'busy'} disabled={token === ''}>
          {standing === 'busy' ? 'Changing …' : action}
        </BusyButton>
        <LinkButton to={paths.forgotPassword()} variant="default">
          Ask for another link
        </LinkButton>
      </Stack>
    </form>
  );
}
