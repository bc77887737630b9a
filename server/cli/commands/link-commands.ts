import type { WithServices } from '../open-operator-services.js';
import { type OperatorCommand, UsageError } from '../operator-program.js';

export const linkUsage = `  verification-link <e-mail> prints a link that verifies an address where no mail is sent; valid for 24 hours and one use
  password-reset-link <e-mail>
                             prints a link by which its owner sets a new password; valid for 30 minutes and one use
  email-change-link <new e-mail>
                             prints a link that confirms the new address of an account; valid for 24 hours and one use
  invitation-link <e-mail>   prints a link by which the invited person answers where no mail is sent; valid until seven days
                             after the invitation, for one use`;

/** The links that mails bring, for where no mail is sent. */
export function listLinkCommands(withServices: WithServices): Readonly<Record<string, OperatorCommand>> {
  return {
    'verification-link': {
      subject: 'the e-mail',
      isSubjectText: true,
      run: (email) => withServices(({ verifications }) => printLink(verifications, email, linkTexts.verification)),
    },
    'password-reset-link': {
      subject: 'the e-mail',
      isSubjectText: true,
      run: (email) => withServices(({ resets }) => printLink(resets, email, linkTexts.reset)),
    },
    'email-change-link': {
      subject: 'the new e-mail',
      isSubjectText: true,
      run: (email) => withServices(({ emailChanges }) => printLink(emailChanges, email, linkTexts.change)),
    },
    'invitation-link': {
      subject: 'the e-mail',
      isSubjectText: true,
      run: (email) => withServices(({ invitations }) => printLink(invitations, email, linkTexts.invitation)),
    },
  };
}

const linkTexts = {
  verification: { lifetime: '24 hours', missing: 'There is no account with this e-mail that is not verified yet.' },
  reset: { lifetime: '30 minutes', missing: 'There is no account with this e-mail.' },
  invitation: { lifetime: 'seven days after it was made', missing: 'Nobody has invited this e-mail.' },
  change: { lifetime: '24 hours', missing: 'No account has asked for this e-mail, or another one has it by now.' },
} as const;

interface LinkMaker {
  createLinkFor(email: string): Promise<string | null>;
}

async function printLink(
  links: LinkMaker,
  email: string,
  { lifetime, missing }: { readonly lifetime: string; readonly missing: string },
): Promise<void> {
  const link = await links.createLinkFor(email);
  if (link === null) throw new UsageError(missing);
  console.error(`For its owner only; it is shown once, and valid for ${lifetime} and one use.`);
  console.log(link);
}
