import { useMutation } from '@apollo/client/react';
import { PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { BusyButton } from '../../components/buttons/busy-button';
import { FormFault } from '../../components/form-fault';
import { graphql } from '../../gql';
import { failureSentences, useShowWhatIs } from '../../lib/forms/lost-answers';
import { graphqlErrorField } from '../../lib/graphql-error-message';
import { passwordFault } from '../../lib/session/validate-credentials';

const ChangePasswordDocument = graphql(`
  mutation ChangePassword($input: ChangePasswordInput!) {
    changePassword(input: $input)
  }
`);

const whenUnclear = {
  whether: 'whether the password was changed',
  remedy: 'Press again. If the current password is refused, the new one is already set.',
};

/** Changes the password of whoever knows the present one. */
export function PasswordForm({ email }: { email: string }) {
  const [changePassword, { loading }] = useMutation(ChangePasswordDocument, { refetchQueries: ['Sessions'] });
  const showWhatIs = useShowWhatIs();
  const [fault, setFault] = useState<string | null>(null);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { currentPassword: '', newPassword: '' },
    validate: {
      currentPassword: (password) => (password ? null : 'Enter your current password.'),
      newPassword: passwordFault,
    },
  });

  async function submit(input: { currentPassword: string; newPassword: string }) {
    setFault(null);
    try {
      await changePassword({ variables: { input } });
      form.reset();
      notifications.show({ title: 'Password changed', message: 'You are signed out everywhere else.' });
    } catch (error) {
      const field = graphqlErrorField(error, ['currentPassword', 'newPassword']);
      const words = failureSentences(error, whenUnclear);
      if (field === null) setFault(words);
      else form.setFieldError(field, words);
      showWhatIs(error);
    }
  }

  return (
    <form onSubmit={form.onSubmit(submit)} noValidate aria-label="Password">
      <Stack gap="md" maw={420}>
        <FormFault fault={fault} />
        {/* Tells a password manager whose password this is. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordInput
          label="Current password"
          name="current-password"
          autoComplete="current-password"
          required
          key={form.key('currentPassword')}
          {...form.getInputProps('currentPassword')}
        />
        <PasswordInput
          label="New password"
          name="new-password"
          description="8 to 128 characters."
          autoComplete="new-password"
          required
          key={form.key('newPassword')}
          {...form.getInputProps('newPassword')}
        />
        <div>
          <BusyButton type="submit" variant="default" isBusy={loading}>
            {loading ? 'Changing …' : 'Change password'}
          </BusyButton>
        </div>
      </Stack>
    </form>
  );
}
