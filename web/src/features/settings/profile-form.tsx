import { useMutation } from '@apollo/client/react';
import { TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { BusyButton } from '../../components/buttons/busy-button';
import { graphql } from '../../gql';
import { nameInSentence } from '../../lib/format/name-in-sentence';
import { failureSentences, pressAgain } from '../../lib/forms/lost-answers';
import { useStoredForm } from '../../lib/forms/use-stored-form';
import { nameFault } from '../../lib/session/validate-credentials';
import classes from './settings.module.css';

const UpdateProfileDocument = graphql(`
  mutation UpdateProfile($name: String!) {
    updateProfile(input: { name: $name }) {
      id
      name
    }
  }
`);

/** Changes what the account is called. */
export function ProfileForm({ name }: { name: string }) {
  const [updateProfile, { loading }] = useMutation(UpdateProfileDocument, { refetchQueries: ['Session'] });
  const { form } = useStoredForm({ name }, { validate: { name: nameFault } });

  async function submit(values: { name: string }) {
    try {
      await updateProfile({ variables: { name: values.name.trim() } });
      notifications.show({ title: 'Saved', message: `You are ${nameInSentence(values.name.trim())} now.` });
    } catch (error) {
      form.setFieldError('name', failureSentences(error, { whether: 'whether it was saved', remedy: pressAgain }));
    }
  }

  return (
    <form onSubmit={form.onSubmit(submit)} noValidate className={classes.line} aria-label="Profile">
      <TextInput
        label="Name"
        name="name"
        autoComplete="name"
        required
        className={classes.field}
        {...form.getInputProps('name')}
      />
      <BusyButton type="submit" size="md" variant="default" isBusy={loading}>
        {loading ? 'Saving …' : 'Save'}
      </BusyButton>
    </form>
  );
}
