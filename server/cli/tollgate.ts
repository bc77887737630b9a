import 'reflect-metadata';
import { examine } from '../composition/operators/doctor.js';
import { AppError } from '../kernel/app-error.js';
import { printFindings } from '../operator/service/check-list.js';
import { backUpInstallation, restoreInstallation } from './back-up.js';
import { announcementUsage, listAnnouncementCommands } from './commands/announcement-commands.js';
import { giftUsage, listGiftCommands } from './commands/gift-commands.js';
import { limitUsage, listLimitCommands } from './commands/limit-commands.js';
import { linkUsage, listLinkCommands } from './commands/link-commands.js';
import { listMoneyCommands, moneyUsage } from './commands/money-commands.js';
import { accountUsage, listAccountCommands } from './commands/operator-commands.js';
import { listPriceCommands, priceUsage } from './commands/price-commands.js';
import { listPriceGroupCommands, priceGroupUsage } from './commands/price-group-commands.js';
import { listProviderCommands, providerUsage } from './commands/provider-commands.js';
import { listPurchaseCommands, purchaseUsage } from './commands/purchase-commands.js';
import { listRetentionCommands, retentionUsage } from './commands/retention-commands.js';
import { listRiskMarkCommands, riskMarkUsage } from './commands/risk-mark-commands.js';
import { listSettlementCommands, settlementUsage } from './commands/settlement-commands.js';
import { listSignUpCommands, signUpUsage } from './commands/sign-up-commands.js';
import { listStatusCommands, statusUsage } from './commands/status-commands.js';
import { listUsageCommands, usageUsage } from './commands/usage-commands.js';
import { type Shell, shells, writeCompletion } from './completion-script.js';
import { moveInstallation } from './move-database.js';
import { type OperatorServices, openOperatorServices } from './open-operator-services.js';
import {
  loadProgramConfig,
  need,
  type OperatorCommand,
  readCommand,
  runOperatorProgram,
  selectUsage,
} from './operator-program.js';
import { findRemoteDoor, remoteUsage, runRemotely } from './remote-door.js';
import { tellWhenSilent } from './tell-when-silent.js';

/*
 * `npm run tollgate -- …`: what an operator does by hand, beside running servers or without them. Exit status: 0 done, 1 it was
 * asked for something that cannot be, 2 it could not be done now.
 */

const usage = `Usage: npm run tollgate -- <command>

${accountUsage}
${riskMarkUsage}
${signUpUsage}
${limitUsage}
${announcementUsage}
${retentionUsage}
${statusUsage}
${moneyUsage}
${purchaseUsage}
${providerUsage}
${priceUsage}
${priceGroupUsage}
  doctor [--json]            checks all that a server depends on, with remedies; status 2 when a check failed
${giftUsage}
${settlementUsage}
${usageUsage}
  upgrade finished           records that no server of the previous release runs on this MySQL any more; servers then read
                             unchanged keys from the database less often
  upgrade begun              undoes that; run it before you start a server of the previous release again
${linkUsage}
  backup <folder>            copies the SQLite file of DATABASE_URL and SPOOL_DIR while servers run, and verifies the copy
  restore <folder>           restores such a copy to DATABASE_URL and SPOOL_DIR; overwrites nothing
  secrets reseal             reseals with SECRETS_KEY what SECRETS_KEY_OLD has sealed, while servers run; docs/operations/secrets.md
  database move --to mysql://user:password@host:3306/name
                             copies the SQLite file of DATABASE_URL to MySQL, compares every row and verifies the ledger there;
                             stop the server first; run it again after an interruption
  completion bash            prints a completion script: source <(tollgate completion bash)
  completion zsh
  help                       prints this list, as does tollgate without a command

${remoteUsage}`;

const withServices = openOperatorServices(() => loadProgramConfig(process.env, { isSpoolUsed: true }));

const commands: Readonly<Record<string, OperatorCommand>> = {
  ...listAccountCommands(withServices),
  ...listRiskMarkCommands(withServices),
  ...listSignUpCommands(withServices),
  ...listLimitCommands(withServices),
  ...listAnnouncementCommands(withServices),
  ...listRetentionCommands(withServices),
  ...listStatusCommands(withServices),
  ...listMoneyCommands(withServices),
  ...listPurchaseCommands(withServices),
  ...listProviderCommands(withServices),
  ...listPriceCommands(withServices),
  ...listPriceGroupCommands(withServices),
  ...listGiftCommands(withServices),
  ...listSettlementCommands(withServices),
  ...listUsageCommands(withServices),
  'upgrade finished': { run: () => withServices(({ noteUpgrade }) => noteUpgrade('finished')) },
  'upgrade begun': { run: () => withServices(({ noteUpgrade }) => noteUpgrade('begun')) },
  'secrets reseal': { run: () => withServices(resealAll) },
  ...listLinkCommands(withServices),
  doctor: { flags: ['json'], run: (_, { json }) => runDoctor(json !== undefined) },
  backup: { subject: 'the folder', isSubjectText: true, run: (folder) => backUp(folder) },
  restore: { subject: 'the folder', isSubjectText: true, run: (folder) => restore(folder) },
  ...listShellCommands(),
  'database move': { options: ['to'], run: (_, { to }) => moveDatabase(need(to, '--to')) },
};

const typed = process.argv.slice(2);
const program = {
  usage,
  // Without a command, to see which there are.
  usageFor: () => (typed.length === 0 ? usage : selectUsage(usage, typed)),
  failure: 'It could not be done.',
  exitCodes: { usage: 1, failed: 2 },
};

await runOperatorProgram(program, async () => {
  const status = await run(typed);
  return typeof status === 'number' ? status : 0;
});

async function run(words: readonly string[]): Promise<unknown> {
  if (words.length === 1 && ['--help', '-h'].includes(String(words[0]))) return console.log(usage);
  // What these print is the same everywhere, so no server is asked, and none has to be named well.
  const asksNobody = ['help', 'completion'].includes(String(words[0]));
  const door = asksNobody ? null : findRemoteDoor(words, process.env);
  if (door !== null) return runRemotely(door);
  const { command, subject, options } = readCommand(words, commands, () =>
    words.length === 0 ? 'Name a command.' : 'There is no such command.',
  );
  return command.run(subject, options);
}

// Asked when they run: the table has them, too.
function listShellCommands(): Readonly<Record<string, OperatorCommand>> {
  const print = async (shell: Shell) => console.log(writeCompletion(shell, commands).trimEnd());
  return {
    ...Object.fromEntries(shells.map((shell) => [`completion ${shell}`, { run: () => print(shell) }])),
    help: { run: async () => console.log(usage) },
  };
}

async function resealAll({ resealSecrets, isOldKeySet }: OperatorServices): Promise<void> {
  const { resealed, current, unreadable } = await resealSecrets();
  console.log(`${resealed} secrets were resealed with SECRETS_KEY; ${current} already were.`);
  if (unreadable === 0) {
    const done =
      'SECRETS_KEY_OLD is no longer needed: remove it, and restart the servers. Gift codes that an operator can be shown again, for 24 hours, are not resealed: if some were made within the last day, keep it for a day longer, or revoke them and create new ones.';
    return console.log(isOldKeySet ? done : 'SECRETS_KEY_OLD is not set, and no secret needs it.');
  }
  const keys = isOldKeySet ? 'by neither key' : 'not by SECRETS_KEY, and SECRETS_KEY_OLD is not set';
  const remedy = isOldKeySet
    ? 'Look for the key that they were sealed by.'
    : 'Set it to the key that they were sealed by.';
  throw new AppError(
    'conflict',
    `${unreadable} are opened ${keys}: their owners sign in by a recovery code. ${remedy}`,
  );
}

async function runDoctor(isJson: boolean): Promise<number> {
  const findings = await examine(loadProgramConfig(process.env, { isSpoolUsed: false }));
  console.log(isJson ? JSON.stringify(findings, null, 2) : printFindings(findings));
  return findings.some(({ standing }) => standing === 'failed') ? 2 : 0;
}

async function backUp(folder: string): Promise<void> {
  const { database, spoolFolder } = loadProgramConfig(process.env, { isSpoolUsed: false });
  await tellWhenSilent((report) => backUpInstallation({ database, spoolFolder, folder, report }));
  console.log(`${folder} holds the database and the settlements of one moment; its books add up.`);
}

async function restore(folder: string): Promise<void> {
  const { database, spoolFolder } = loadProgramConfig(process.env, { isSpoolUsed: true, mustFileExist: false });
  const report = (line: string) => console.error(line);
  const madeAt = await restoreInstallation({ database, spoolFolder, folder, report });
  console.log(`This is the installation of ${madeAt}. Start the server, then verify it: npm run ledger:verify`);
  const back =
    'keys that were revoked, old secrets of rotated ones, passwords, sessions, members and operators of then';
  console.log(
    `What was ended since is in force again: ${back}. docs/backup.md says how to find it; end it again before you let callers in.`,
  );
}

async function moveDatabase(to: string): Promise<void> {
  const { database: from, secretsKey } = loadProgramConfig(process.env, { isSpoolUsed: false });
  const { moved, secretsRemedy } = await tellWhenSilent((report) => moveInstallation({ from, secretsKey, to, report }));
  const rowCount = moved.reduce((sum, table) => sum + table.rowCount, 0);
  console.log(
    `${rowCount} rows of ${moved.length} tables are there, equal to the file. Start the server on the new DATABASE_URL.`,
  );
  if (secretsRemedy !== null) console.log(secretsRemedy);
}
