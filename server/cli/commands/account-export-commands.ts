import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { OperatorServices, WithServices } from '../open-operator-services.js';
import { asWords, need, type OperatorCommand, UsageError } from '../operator-program.js';

/** What operators take along of one account. It is in the operators' log before anything is read. */
export function listAccountExportCommands(withServices: WithServices): Readonly<Record<string, OperatorCommand>> {
  return {
    'account export': {
      options: ['to', 'reason'],
      subject: 'the account',
      run: (accountId, { to, reason }) => {
        const words = need(reason, '--reason');
        return withServices((services) => exportAccount(services, accountId, { to: to ?? null, reason: words }));
      },
    },
  };
}

async function exportAccount(
  { accountExports, openAccountExport }: OperatorServices,
  accountId: string,
  { to, reason }: { readonly to: string | null; readonly reason: string },
): Promise<void> {
  const file = to === null ? process.stdout : await openNewFile(to);
  await asWords(accountExports.begin(accountId, reason));
  await pipeline(openAccountExport()(accountId), file, { end: to !== null });
  if (to !== null) console.error(`${to} holds all that is known of ${accountId}.`);
}

/** For nobody but whoever runs this. @throws UsageError where there is one already, or no place for it. */
async function openNewFile(path: string): Promise<NodeJS.WritableStream> {
  const handle = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EEXIST' ? 'is there already' : `cannot be made (${error.code})`;
    throw new UsageError(`--to: ${path} ${why}. Name a file that is not there yet.`);
  });
  return handle.createWriteStream();
}
