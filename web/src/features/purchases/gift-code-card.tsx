import { useMutation } from '@apollo/client/react';
import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { LoadingButton } from '../../components/buttons/loading-button';
import { SectionCard } from '../../components/section-card';
import { graphql } from '../../gql';
import { formatCredits } from '../../lib/format/format-credits';
import { failureSentences } from '../../lib/forms/lost-answers';

import classes from './buy-credits.module.css';

const RedeemGiftCodeDocument = graphql(`
  mutation RedeemGiftCode($code: String!) {
    redeemGiftCode(code: $code) {
      credits
      balance
    }
  }
`);

const whenUnclear = {
  whether: 'whether the code was redeemed',
  remedy: 'Press “Redeem” again. A code adds its credits only once.',
};

/** Claims a code that the operator has given away. */
export function GiftCodeCard() {
  const [redeem, { loading }] = useMutation(RedeemGiftCodeDocument, { refetchQueries: ['Balance', 'Statement'] });
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { code: '' },
    validate: { code: (code) => (code.trim() === '' ? 'Enter the code.' : null) },
  });

  async function submit({ code }: { code: string }) {
    try {
      const { data } = await redeem({ variables: { code } });
      form.reset();
      const { credits = 0, balance = 0 } = data?.redeemGiftCode ?? {};
      const message = `The code added ${formatCredits(credits)} credits. Your balance is ${formatCredits(balance)} now.`;
      notifications.show({ title: 'Thank you', message });
    } catch (error) {
      form.setFieldError('code', failureSentences(error, whenUnclear));
    }
  }

  return (
    <SectionCard title="Gift code" description="Redeem a code for credits. Each code works once.">
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <TextInput
          name="gift-code"
          label="Code"
          autoComplete="off"
          inputContainer={(field) => (
            <div className={classes.freeAmount}>
              {field}
              <LoadingButton type="submit" size="md" variant="default" loading={loading}>
                Redeem
              </LoadingButton>
            </div>
          )}
          key={form.key('code')}
          {...form.getInputProps('code')}
        />
      </form>
    </SectionCard>
  );
}
