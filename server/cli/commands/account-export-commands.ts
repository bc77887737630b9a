import { pipeline } from 'node:stream/promises';
import type { OperatorServices, WithServices } from '../open-operator-services.js';
import { asWords, need, type OperatorCommand } from '../operator-program.js';
import { writeWholeFile } from './write-whole-file.js';

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
  const exportTo = async (file: NodeJS.WritableStream, isOwn: boolean) => {
    await asWords(accountExports.begin(accountId, reason));
    await pipeline(openAccountExport()(accountId), file, { end: isOwn });
  };
  if (to === null) return exportTo(process.stdout, false);
  await writeWholeFile(to, (file) => exportTo(file, true));
  console.error(`${to} holds all that is known of ${accountId}.`);
}
