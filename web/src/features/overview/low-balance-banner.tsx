import { paths } from '../../app/paths';
import { IconAlertTriangle } from '../../components/icons';
import { LinkButton } from '../../components/link-button';
import { formatCredits } from '../../lib/format/format-credits';
import { wholeBalance } from '../../lib/format/whole-balance';
import { runwayWords } from '../../lib/reports/spending';
import { mayDo } from '../../lib/session/roles';
import { useRole } from '../../lib/session/use-role';
import classes from './low-balance-banner.module.css';

interface LowBalanceBannerProps {
  balance: { available: number; held: number };
  /** How long that lasts; null when nothing was used lately. */
  days: number | null;
}

/** From this runway downward one had better buy credits. */
const daysLow = 3;

/** Tells in time that credits run out, and that they have run out; nothing while all is well. */
export function LowBalanceBanner({ balance, days }: LowBalanceBannerProps) {
  const mayPay = mayDo(useRole(), 'pay');
  if (days === null || days >= daysLow) return null;
  const left = wholeBalance(balance);
  const isEmpty = left <= 0;
  return (
    <div className={classes.banner} data-empty={isEmpty} role="status">
      <IconAlertTriangle size={20} aria-hidden />
      <p>
        {isEmpty
          ? 'Your credits are used up. Calls are refused until you buy more. Refused calls are free.'
          : `${formatCredits(left)} credits are left: ${runwayWords(days)}.`}
      </p>
      {mayPay && (
        <LinkButton to={paths.credits()} size="xs" variant="default">
          Buy credits
        </LinkButton>
      )}
    </div>
  );
}
