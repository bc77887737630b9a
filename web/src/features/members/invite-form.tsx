import { useMutation } from '@apollo/client/react';
import { Alert, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { LoadingButton } from '../../components/buttons/loading-button';
import { FormFault } from '../../components/form-fault';
import { KeptNote } from '../../components/forms/kept-note';
import { LinkByOperator } from '../../components/link-by-operator';
import { SectionCard } from '../../components/section-card';
import { graphql } from '../../gql';
import type { MemberRole } from '../../gql/graphql';
import { failureSentences, useShowWhatIs } from '../../lib/forms/lost-answers';
import { useKeptForm } from '../../lib/forms/use-kept-form';
import { graphqlErrorCode, graphqlErrorField } from '../../lib/graphql-error-message';
import { roleSentences, roleWords } from '../../lib/session/roles';
import { emailFault } from '../../lib/session/validate-credentials';

const InviteMemberDocument = graphql(`
  mutation InviteMember($input: InviteMemberInput!) {
    inviteMember(input: $input) {
      id
    }
  }
`);

const whenUnclear = {
  whether: 'whether they were invited',
  remedy:
    'Look at the open invitations. If you invite them again, they get a new link and the earlier one stops working.',
};

interface Invitation {
  email: string;
  role: MemberRole;
}

const nobody: Invitation = { email: '', role: 'DEVELOPER' };
const offered: readonly MemberRole[] = ['ADMIN', 'DEVELOPER', 'BILLING', 'VIEWER'];

interface InviteFormProps {
  /** Whether this server sends mail at all. */
  isMailSent: boolean;
  /** The address of whoever invites, if it is not verified; null: it is. */
  unverified: string | null;
}

/** Invites somebody: by mail, or by a link that the operator of a server without mail makes. */
export function InviteForm({ isMailSent, unverified }: InviteFormProps) {
  const [inviteMember, { loading }] = useMutation(InviteMemberDocument, { refetchQueries: ['Invitations'] });
  const showWhatIs = useShowWhatIs();
  const [invited, setInvited] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  /** What the server said to whoever has to be verified first. */
  const [refusal, setRefusal] = useState<string | null>(null);
  const kept = useKeptForm('invitation', nobody);
  const form = useForm<Invitation>({
    initialValues: kept.start,
    validate: { email: emailFault },
    onValuesChange: kept.keep,
  });

  function empty(values: Partial<Invitation>) {
    form.setValues(values);
    kept.forget();
  }

  /** The address that the operator of a server without mail has to verify first. */
  const waitsFor = isMailSent ? null : unverified;

  /** The one field that can be faulty. */
  const goToAddress = () => form.getInputNode('email')?.focus();

  async function submit({ email, role }: Invitation) {
    setFault(null);
    setRefusal(null);
    setInvited(null);
    const address = email.trim();
    try {
      await inviteMember({ variables: { input: { email: address, role } } });
      empty({ email: '' });
      if (isMailSent) {
        notifications.show({ title: 'Invitation sent', message: `The link to ${address} is good for seven days.` });
      } else setInvited(address);
    } catch (error) {
      const words = failureSentences(error, whenUnclear);
      if (graphqlErrorField(error, ['email'])) {
        form.setFieldError('email', words);
        goToAddress();
      } else if (waitsFor !== null && graphqlErrorCode(error) === 'FORBIDDEN') setRefusal(words);
      else setFault(words);
      showWhatIs(error);
    }
  }

  return (
    <SectionCard
      title="Invite a member"
      description={`${isMailSent ? 'They get a link by e-mail' : 'They get a link that the operator creates'}, and sign in or sign up with the address that you enter.`}
    >
      <form onSubmit={form.onSubmit(submit, goToAddress)} noValidate aria-label="Invite a member">
        <Stack gap="md" maw={420}>
          <FormFault fault={fault} />
          <KeptNote isShown={kept.isRestored} onDiscard={() => empty(nobody)} />
          {waitsFor !== null && (
            // A refusal stands on the card that has its remedy, and not above it once more.
            <Alert
              key={refusal}
              color={refusal === null ? 'amber' : 'red'}
              {...(refusal !== null && { role: 'alert' })}
              title={refusal ?? 'Verify your own address first'}
            >
              <LinkByOperator command="verification-link" email={waitsFor} />
            </Alert>
          )}
          {invited !== null && (
            <Alert color="pine" title="Invited, for seven days" role="status">
              <LinkByOperator command="invitation-link" email={invited} />
            </Alert>
          )}
          <TextInput
            label="E-mail"
            type="email"
            name="email"
            autoComplete="off"
            required
            {...form.getInputProps('email')}
          />
          <Select
            size="md"
            label="Role"
            allowDeselect={false}
            description={roleSentences[form.values.role]}
            data={offered.map((value) => ({ value, label: roleWords[value] }))}
            value={form.values.role}
            onChange={(value) => form.setFieldValue('role', (role) => offered.find((one) => one === value) ?? role)}
          />
          <LoadingButton type="submit" size="md" loading={loading} style={{ alignSelf: 'flex-start' }}>
            {isMailSent ? 'Send invitation' : 'Invite'}
          </LoadingButton>
        </Stack>
      </form>
    </SectionCard>
  );
}
