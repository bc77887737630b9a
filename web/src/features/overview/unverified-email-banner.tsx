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
      <p>{fault ?? `Verify ${email} to get alerts and top-up notices by e-mail. Open the link that we sent there.`}</p>
      <LoadingButton size="xs" variant="default" loading={isSending} onClick={() => void sendAgain()}>
        Send again
      </LoadingButton>
    </div>
  );
}
