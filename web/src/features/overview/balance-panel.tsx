import type { CSSProperties } from 'react';
import { paths } from '../../app/paths';
import { LinkButton } from '../../components/link-button';
import type { FreezeReason } from '../../gql/graphql';
import { formatCredits, formatCreditsAsDollars, groupThousands } from '../../lib/format/format-credits';
import { wholeBalance } from '../../lib/format/whole-balance';
import { runwayWords } from '../../lib/reports/spending';
import { affordableTokens } from '../../lib/requests/token-cost';
import { mayDo } from '../../lib/session/roles';
import { useRole } from '../../lib/session/use-role';
import classes from './balance-panel.module.css';

interface BalancePanelProps {
  balance: { available: number; held: number };
  models: readonly { tier: string; creditsPerThousandTokens: number }[];
  /** Empty: it is not frozen. */
  frozenFor: readonly FreezeReason[];
  /** How many days it lasts at the present pace; null when there is none. */
  days: number | null;
}

/** What the account may still spend, what running calls have reserved, and how much model text that buys. */
export function BalancePanel({ balance, frozenFor, models, days }: BalancePanelProps) {
  const isEmpty = wholeBalance(balance) <= 0;
  const amount = formatCredits(balance.available);
  return (
    <section className={classes.panel} aria-labelledby="balance-title">
      <div className={classes.stripes} aria-hidden="true" />
      <div className={classes.body}>
        <div>
          <h2 id="balance-title" className={classes.title}>
            Balance
          </h2>
          <p className={classes.amount} style={{ '--characters': amount.length } as CSSProperties}>
            <span className="numeric">{amount}</span> <span className={classes.unit}>credits</span>
          </p>
          <p className={classes.worth}>
            {balance.held > 0 ? `${formatCredits(balance.held)} reserved by running calls · ` : ''}
            worth {formatCreditsAsDollars(balance.available)}
            {days !== null && !isEmpty && ` · ${runwayWords(days)}`}
          </p>
        </div>
        <p className={classes.words}>
          {isEmpty ? 'No credits yet. A dollar buys 1,000 credits.' : <SpendingWords {...{ balance, models }} />}
        </p>
        <WayOn frozenFor={frozenFor} />
      </div>
    </section>
  );
}

/** To more credits, for whoever may buy them; where none are sold, to what the freeze is about. */
function WayOn({ frozenFor }: Pick<BalancePanelProps, 'frozenFor'>) {
  const role = useRole();
  if (frozenFor.length === 0 && !mayDo(role, 'pay')) return null;
  const [to, words] =
    frozenFor.length === 0
      ? [paths.credits(), 'Buy credits']
      : frozenFor.includes('DISPUTE')
        ? [paths.credits(), 'See your purchases']
        : [paths.proof(), 'See where your credits are'];
  return (
    <LinkButton to={to} variant="white" color="pine.7">
      {words}
    </LinkButton>
  );
}

function SpendingWords({ balance: { available }, models }: Pick<BalancePanelProps, 'balance' | 'models'>) {
  if (available <= 0) return 'All of it is reserved by running calls. What they do not use is returned.';
  return purchasingPower(available, models).map((line) => (
    <span key={line} className={classes.line}>
      {line}{' '}
    </span>
  ));
}

/** "Buys 12,345 tokens of a lower-tier model," and "or …", a line for each tier on offer, the cheapest first. */
function purchasingPower(credits: number, models: BalancePanelProps['models']): string[] {
  const priceOfTier = new Map(models.map((model) => [model.tier, model.creditsPerThousandTokens]));
  return [...priceOfTier]
    .sort(([, price], [, otherPrice]) => price - otherPrice)
    .map(([tier, price], at) => {
      const tokens = `${groupThousands(affordableTokens(credits, price))} tokens of a ${tier}-tier model`;
      return `${at === 0 ? 'Buys' : 'or'} ${tokens}${at === priceOfTier.size - 1 ? '.' : ','}`;
    });
}
