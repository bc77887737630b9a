import { formatCredits, formatCreditsAligned, groupThousands, toMillicredits } from '../../lib/format/format-credits';
import { formatTokenCost } from '../../lib/requests/token-cost';
import classes from './receipt.module.css';

interface PriceBreakdownProps {
  call: {
    readonly tier: string;
    readonly creditsPerThousandTokens: number;
    /** Per mille of that price which the account paid. */
    readonly priceMultiplier: number;
    readonly promptTokens: number;
    readonly completionTokens: number;
    readonly absorbed: number;
    readonly charged: number;
  };
}

/** Tokens times price, line by line; the total is the server's own figure. */
export function PriceBreakdown({ call }: PriceBreakdownProps) {
  const price = call.creditsPerThousandTokens;
  return (
    <table className={classes.prices}>
      <caption>
        {call.tier} tier: {formatCredits(price)} {price === 1 ? 'credit' : 'credits'} per 1,000 tokens
      </caption>
      <thead>
        <tr>
          <th scope="col">Tokens</th>
          <th scope="col">Credits</th>
        </tr>
      </thead>
      <tbody>
        <PriceLine
          name={`${groupThousands(call.promptTokens)} in`}
          credits={formatTokenCost(call.promptTokens, price)}
        />
        <PriceLine
          name={`${groupThousands(call.completionTokens)} out`}
          credits={formatTokenCost(call.completionTokens, price)}
        />
        {call.priceMultiplier !== 1_000 && (
          <PriceLine
            name={`Price group: ${call.priceMultiplier / 10} % of the list price`}
            credits={formatCreditsAligned(differenceToListPrice(call))}
          />
        )}
        {call.absorbed > 0 && <PriceLine name="Paid by the operator" credits={formatCreditsAligned(-call.absorbed)} />}
      </tbody>
      <tfoot>
        <PriceLine name="Charged" credits={formatCreditsAligned(call.charged)} />
      </tfoot>
    </table>
  );
}

/** What the multiplier takes off or adds, in credits, after it was rounded up for the call. */
function differenceToListPrice(call: PriceBreakdownProps['call']): number {
  const tokens = BigInt(call.promptTokens) + BigInt(call.completionTokens);
  const atListPrice = (tokens * toMillicredits(call.creditsPerThousandTokens)) / 1_000n;
  const paid = toMillicredits(call.charged) + toMillicredits(call.absorbed);
  return Number(paid - atListPrice) / 1_000;
}

function PriceLine({ name, credits }: { name: string; credits: string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{credits}</td>
    </tr>
  );
}
