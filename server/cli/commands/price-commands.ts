import { readFileSync, statSync } from 'node:fs';
import type { OperatorServices, WithServices } from '../open-operator-services.js';
import { asWords, need, type OperatorCommand, UsageError } from '../operator-program.js';

export const priceUsage = `  prices list [--json]       the prices in force, where each is set, and the versions
  prices apply <file> --dry-run [--from 2027-01-01T00:00:00Z] [--json]
                             shows what the file, written like tollgate.yaml, would change; changes nothing
  prices apply <file> --reason "…" [--from 2027-01-01T00:00:00Z] [--json]
                             sets them, from now or from that time on; running calls keep their price
  prices withdraw <number> --reason "…"
                             withdraws a version that is not in force yet`;

type Desk = Awaited<ReturnType<OperatorServices['openPrices']>>;
type Change = Awaited<ReturnType<Desk['preview']>>[number];

/** What an operator sets of models and prices by hand. Every change is in the operator's log. */
export function listPriceCommands(withServices: WithServices): Readonly<Record<string, OperatorCommand>> {
  const withDesk = (work: (desk: Desk) => Promise<void>) =>
    withServices(({ openPrices }) => asWords(openPrices().then(work)));
  return {
    'prices list': {
      flags: ['json'],
      run: (_, { json }) => withDesk((desk) => listPrices(desk, json !== undefined)),
    },
    'prices apply': {
      options: ['reason', 'from'],
      flags: ['dry-run', 'json'],
      subject: 'the file',
      isSubjectText: true,
      run: (file, { reason, from, json, 'dry-run': dryRun }) => {
        const asked = { document: readDocument(file), fromMs: from === undefined ? null : readTime(from) };
        const isJson = json !== undefined;
        if (dryRun !== undefined) return withDesk((desk) => previewPrices(desk, asked, isJson));
        const words = need(reason, '--reason, or --dry-run');
        return withDesk((desk) => applyPrices(desk, { ...asked, reason: words }, isJson));
      },
    },
    'prices withdraw': {
      options: ['reason'],
      subject: 'the number',
      run: (text, { reason }) => {
        if (!/^\d{1,9}$/.test(text)) throw new UsageError('The number of a version is a whole number such as 3.');
        const words = need(reason, '--reason');
        return withDesk(async (desk) => {
          await desk.withdraw(Number(text), words);
          console.log(`Version ${text} is withdrawn.`);
        });
      },
    },
  };
}

async function listPrices(desk: Desk, isJson: boolean): Promise<void> {
  const [{ versions }, models] = [await desk.list(), await desk.listPrices()];
  if (isJson) console.log(JSON.stringify({ models, versions }, null, 2));
  if (isJson) return;
  for (const { modelId, millicreditsPerToken, tier, setIn } of models)
    console.log(`${modelId}  ${millicreditsPerToken} credits for 1,000 tokens  ${tier}  ${setIn.replace('_', '-')}`);
  for (const { number, effectiveAtMs, isInForce, withdrawnAtMs } of versions) {
    const standing = withdrawnAtMs !== null ? 'withdrawn' : isInForce ? 'in force' : '';
    console.log(`version ${number}  from ${new Date(effectiveAtMs).toISOString()}  ${standing}`.trimEnd());
  }
}

interface Asked {
  readonly document: string;
  readonly fromMs: number | null;
}

async function previewPrices(desk: Desk, { document, fromMs }: Asked, isJson: boolean): Promise<void> {
  const changes = await desk.preview(document, fromMs);
  if (isJson) console.log(JSON.stringify(changes, null, 2));
  else printChanges(changes);
}

async function applyPrices(
  desk: Desk,
  { document, fromMs, reason }: Asked & { readonly reason: string },
  isJson: boolean,
): Promise<void> {
  const applied = await desk.apply(document, fromMs, reason);
  if (isJson) console.log(JSON.stringify(applied, null, 2));
  if (isJson) return;
  printChanges(applied.changes);
  console.log(`Version ${applied.number} is in force from ${new Date(applied.effectiveAtMs).toISOString()} on.`);
}

function printChanges(changes: readonly Change[]): void {
  if (changes.length === 0) console.log('Nothing changes, for callers or of what models cost.');
  for (const { modelId, kind, before, after, areRoutesChanged, areLimitsChanged, costs } of changes) {
    const also = [...(areRoutesChanged ? ['routes'] : []), ...(areLimitsChanged ? ['limits'] : [])].join(', ');
    const price = before === after ? `${after}, as before,` : `${before ?? '–'} -> ${after ?? '–'}`;
    const told = `${price} credits for 1,000 tokens`;
    console.log(`${modelId}  ${kind}  ${told}${kind === 'changed' && also !== '' ? `  ${also}` : ''}`);
    for (const cost of costs)
      console.log(`${modelId}  costs at ${cost.providerId}  ${showCost(cost.before)} -> ${showCost(cost.after)}`);
  }
}

function showCost(cost: Change['costs'][number]['before']): string {
  if (cost === null) return 'not set';
  return `${cost.input} in and ${cost.output} out, in dollars for a million tokens`;
}

function readDocument(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) throw new UsageError('There is no such file.');
  if (found.size > 1_000_000) throw new UsageError('The file is larger than prices may be.');
  return readFileSync(file, 'utf8');
}

function readTime(text: string): number {
  const atMs = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(atMs)) throw new UsageError('--from is a time with a zone such as 2027-01-01T00:00:00Z.');
  return atMs;
}
