import { formatCredits, groupThousands } from '../../lib/format/format-credits';
import { affordableTokens } from '../../lib/requests/token-cost';
import classes from './landing.module.css';

interface PricesProps {
  models: readonly { id: string; tier: string; creditsPerThousandTokens: number }[];
  packs: readonly { id: string; dollars: number; credits: number }[];
}

const namesShown = 6;

/** Two tiers and what a dollar buys of each; the models are the ones that this server has on. */
export function Prices({ models, packs }: PricesProps) {
  const tiers = [...new Map(models.map(({ tier, creditsPerThousandTokens }) => [tier, creditsPerThousandTokens]))].sort(
    ([, price], [, other]) => price - other,
  );
  return (
    <section className={classes.section} id="prices" aria-labelledby="prices-title">
      <h2 id="prices-title" className={classes.heading}>
        Prices
      </h2>
      <p className={classes.sub}>
        A dollar is 1,000 credits. Prompt and answer tokens cost the same, and there are no other fees.
      </p>
      <div className={classes.tiers}>
        {tiers.map(([tier, price]) => (
          <article key={tier} className={classes.tier}>
            <h3>{tier} tier</h3>
            <p className={classes.price}>
              {formatCredits(price)} <span>{price === 1 ? 'credit' : 'credits'} per 1,000 tokens</span>
            </p>
            <p>A dollar buys {groupThousands(affordableTokens(1_000, price))} tokens.</p>
            <p className={classes.names}>
              {namesOf(models.filter((model) => model.tier === tier).map(({ id }) => id))}
            </p>
          </article>
        ))}
      </div>
      {packs.length > 0 && (
        <p className={classes.sub}>
          Packs of {packs.map(({ dollars }) => `$${dollars}`).join(', ')}, or any amount from $5 to $1,000.
        </p>
      )}
    </section>
  );
}

function namesOf(ids: readonly string[]): string {
  const rest = ids.length - namesShown;
  return ids.slice(0, namesShown).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
