import { Group } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'react-router';
import { paths } from '../../app/paths';
import { LoadingButton } from '../../components/buttons/loading-button';
import { FullPageMessage } from '../../components/full-page-message';
import { LinkButton } from '../../components/link-button';
import { SignedInAs } from '../../components/signed-in-as';
import { failureWords } from '../../lib/forms/lost-answers';
import { isRefusal } from '../../lib/graphql-error-message';
import { useOtherSession } from '../../lib/session/use-other-session';

interface PageWords {
  readonly title: string;
  readonly words: ReactNode;
}

interface MailedLinkProps {
  /** What the link is for, and on which button. */
  question: PageWords & { readonly button: string };
  /** Of a link without a token. */
  notWhole: PageWords;
  whenFailed: Parameters<typeof failureWords>[1];
  /** What it came to; null: nothing yet. */
  done: PageWords | null;
  isBusy: boolean;
  /** Uses the token; a rejection is shown. */
  open: (token: string) => Promise<unknown>;
  /** Where one goes from here. */
  action: ReactNode;
}

/**
 * Where a mailed link leads. It takes a press of the button, since programs that look into mails for danger open every link in them.
 */
export function MailedLink({ question, notWhole, whenFailed, done, isBusy, open, action }: MailedLinkProps) {
  const token = useLocation().hash.slice(1);
  const [fault, setFault] = useState<unknown>(null);

  async function press() {
    setFault(null);
    try {
      await open(token);
    } catch (error) {
      setFault(error);
    }
  }

  const page = (title: string, words: ReactNode, button: ReactNode = action) => (
    <FullPageMessage title={title} action={button}>
      {words}
    </FullPageMessage>
  );
  if (done !== null) return page(done.title, done.words);
  const button = (
    <LoadingButton loading={isBusy} onClick={() => void press()}>
      {question.button}
    </LoadingButton>
  );
  if (fault !== null) {
    const { title, message } = failureWords(fault, whenFailed);
    if (isRefusal(fault)) return page(title, message);
    // Nothing was refused: a second press does it, or is told that the first one has.
    const actions = (
      <Group gap="sm">
        {button}
        {action}
      </Group>
    );
    return page(title, message, actions);
  }
  if (token === '') return page(notWhole.title, notWhole.words);
  return page(question.title, question.words, button);
}

type EmailLinkProps = Omit<MailedLinkProps, 'notWhole' | 'action'> & {
  /** The title of a link without a token. */
  notWholeTitle: string;
};

/** A mailed link about an address: it says who is signed in where that is somebody else. */
export function EmailLink({ notWholeTitle, open, ...others }: EmailLinkProps) {
  const { other, look } = useOtherSession();
  const words = 'The link is incomplete. Open it from the e-mail, or ask for another one in your settings.';
  return (
    <MailedLink
      {...others}
      notWhole={{ title: notWholeTitle, words }}
      open={async (token) => {
        await open(token);
        await look();
      }}
      action={
        other === null ? (
          <LinkButton to={paths.settings()}>Go to the settings</LinkButton>
        ) : (
          <SignedInAs email={other} to={paths.signIn(paths.settings())} />
        )
      }
    />
  );
}
