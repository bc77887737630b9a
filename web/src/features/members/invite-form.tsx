import { useMutation } from '@apollo/client/react';
import { Button, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { FormFault } from '../../components/form-fault';
import { SectionCard } from '../../components/section-card';
import { graphql } from '../../gql';
import type { MemberRole } from '../../gql/graphql';
import { graphqlErrorField, graphqlErrorMessage } from '../../lib/graphql-error-message';
import { roleSentences, roleWords } from '../../lib/session/roles';
import { emailFault } from '../../lib/session/validate-credentials';

const InviteMemberDocument = graphql(`
  mutation InviteMember($input: InviteMemberInput!) {
    inviteMember(input: $input) {
      id
    }
  }
`);

const offered: readonly MemberRole[] = ['ADMIN', 'DEVELOPER', 'BILLING', 'VIEWER'];

/** Invites somebody by mail. */
export function InviteForm() {
  const [inviteMember, { loading }] = useMutation(InviteMemberDocument, { refetchQueries: ['Invitations'] });
  const [role, setRole] = useState<MemberRole>('DEVELOPER');
  const [fault, setFault] = useState<string | null>(null);
  const form = useForm({ mode: 'uncontrolled', initialValues: { email: '' }, validate: { email: emailFault } });

  async function submit({ email }: { email: string }) {
    setFault(null);
    try {
      await inviteMember({ variables: { input: { email: email.trim(), role } } });
      form.reset();
      notifications.show({ title: 'Invitation sent', message: `The link to ${email.trim()} is good for seven days.` });
    } catch (error) {
      if (graphqlErrorField(error, ['email'])) form.setFieldError('email', graphqlErrorMessage(error));
      else setFault(graphqlErrorMessage(error));
    }
  }

  return (
    <SectionCard
      title="Invite somebody"
      description="They are mailed a link, and sign in or up with the address that you enter."
    >
      <form onSubmit={form.onSubmit(submit)} noValidate aria-label="Invite somebody">
        <Stack gap="md" maw={420}>
          <FormFault fault={fault} />
          <TextInput
            label="E-mail"
            type="email"
            name="email"
            autoComplete="off"
            required
            key={form.key('email')}
            {...form.getInputProps('email')}
          />
          <Select
            label="Role"
            allowDeselect={false}
            description={roleSentences[role]}
            data={offered.map((value) => ({ value, label: roleWords[value] }))}
            value={role}
            onChange={(value) => setRole(offered.find((one) => one === value) ?? role)}
          />
          <Button type="submit" size="md" loading={loading} style={{ alignSelf: 'flex-start' }}>
            Send invitation
          </Button>
        </Stack>
      </form>
    </SectionCard>
  );
}
