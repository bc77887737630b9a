import { LoadingButton } from '../../components/buttons/loading-button';
import { IconMail } from '../../components/icons';
import { useVerificationMail } from '../../lib/session/mails';
import classes from './low-balance-banner.module.css';

/** Says what is missing while the address is not verified, with the one button that helps. */
export function UnverifiedEmailBanner({ email }: { email: string }) {
  const { sendAgain, isSending, fault } = useVerificationMail(email);
  return (
    <div className={classes.banner} data-empty={fault !== null} role="status">
      <IconMail size={20} aria-hidden />
      <p>
        {fault ??
          `Nothing is mailed to ${email} until you verify it: no alert, no news of automatic top-ups. Open the link that was sent there.`}
      </p>
      <LoadingButton size="xs" variant="default" loading={isSending} onClick={() => void sendAgain()}>
        Send again
      </LoadingButton>
    </div>
  );
}
