import { type SignUpMode, signUpModes } from '../../accounts/sign-up/sign-up-blocks.js';
import type { OperatorServices, WithServices } from '../open-operator-services.js';
import { asWords, need, type OperatorCommand, UsageError } from '../operator-program.js';

export const signUpUsage = `  sign-up show [--json]      who can create an account: everybody, invited people, or nobody
  sign-up set invited --reason "…"
                             open, invited or closed; in force on every server at once
  invite create <e-mail> --reason "…"
                             prints a link to create an account with this address; valid for seven days and one use
  invite list [--json]       invitations that are not used yet
  invite withdraw <id> --reason "…"
  block list [--json]        networks and mail domains that cannot sign up
  block add <value> --reason "…"
                             an address, a network such as 192.0.2.0/24, a mail domain such as example.com, everybody or uninvited
  block remove <value> --reason "…"`;

/** Who can make an account. Every change is in the operator's log. */
export function listSignUpCommands(withServices: WithServices): Readonly<Record<string, OperatorCommand>> {
  return {
    'sign-up show': {
      flags: ['json'],
      run: (_, { json }) => withServices((services) => showSignUp(services, json !== undefined)),
    },
    'sign-up set': {
      options: ['reason'],
      subject: 'open, invited or closed',
      run: (word, { reason }) => {
        const [mode, words] = [readMode(word), need(reason, '--reason')];
        return withServices(async ({ signUp }) => {
          await asWords(signUp.setMode(mode, words));
          console.log(describeMode(mode));
        });
      },
    },
    'invite create': {
      options: ['reason'],
      subject: 'the e-mail',
      isSubjectText: true,
      run: (email, { reason }) => {
        const words = need(reason, '--reason');
        return withServices(async ({ signUp }) => {
          const { link } = await asWords(signUp.invite(email, { isMailed: false, reason: words }));
          console.error('For its owner alone; it is shown once, and good for seven days and one use.');
          console.log(link);
        });
      },
    },
    ...listBlockCommands(withServices),
    'invite list': {
      flags: ['json'],
      run: (_, { json }) => withServices((services) => listInvitations(services, json !== undefined)),
    },
    'invite withdraw': {
      options: ['reason'],
      subject: 'the id',
      run: (id, { reason }) => {
        const words = need(reason, '--reason');
        return withServices(async ({ signUp }) => {
          await asWords(signUp.withdraw(id, words));
          console.log(`${id} is worth nothing any more.`);
        });
      },
    },
  };
}

function listBlockCommands(withServices: WithServices): Readonly<Record<string, OperatorCommand>> {
  const words = { options: ['reason'], subject: 'the network or domain', isSubjectText: true };
  return {
    'block list': {
      flags: ['json'],
      run: (_, { json }) => withServices((services) => listBlocks(services, json !== undefined)),
    },
    'block add': {
      ...words,
      run: (value, { reason }) => {
        const why = need(reason, '--reason');
        return withServices(async ({ abuse }) => {
          const block = await asWords(abuse.block(value, why));
          console.log(`${block.value} is blocked: nobody makes an account from there.`);
        });
      },
    },
    'block remove': {
      ...words,
      run: (value, { reason }) => {
        const why = need(reason, '--reason');
        return withServices(async ({ abuse }) => {
          await asWords(abuse.unblock(value, why));
          console.log(`${value} is not blocked any more.`);
        });
      },
    },
  };
}

function readMode(text: string): SignUpMode {
  const mode = signUpModes.find((one) => one === text);
  if (mode === undefined) throw new UsageError(`Sign-up is one of ${signUpModes.join(', ')}.`);
  return mode;
}

function describeMode(mode: SignUpMode): string {
  const words = {
    open: 'Everybody can make an account whom no block keeps out.',
    invited: 'Only invited people can make an account.',
    closed: 'Nobody can make an account, invited or not.',
  };
  return words[mode];
}

async function showSignUp({ signUp }: OperatorServices, isJson: boolean): Promise<void> {
  const { mode, setBy } = await signUp.findMode();
  const { reason, createdBy, createdAtMs } = setBy ?? { reason: null, createdBy: null, createdAtMs: null };
  if (isJson) return console.log(JSON.stringify({ mode, reason, createdBy, createdAtMs }, null, 2));
  console.log(describeMode(mode));
  if (setBy) console.log(`Set by ${createdBy} on ${new Date(setBy.createdAtMs).toISOString()}: ${reason}`);
}

async function listInvitations({ signUp }: OperatorServices, isJson: boolean): Promise<void> {
  const invitations = await signUp.listInvitations();
  if (isJson) {
    const shown = invitations.map(({ id, email, createdBy, createdAtMs, expiresAtMs }) => {
      return { id, email, createdBy, createdAtMs, expiresAtMs };
    });
    return console.log(JSON.stringify(shown, null, 2));
  }
  for (const { id, email, createdBy, expiresAtMs } of invitations)
    console.log(`${id}  ${email}  by ${createdBy}  until ${new Date(expiresAtMs).toISOString()}`);
}

async function listBlocks({ abuse }: OperatorServices, isJson: boolean): Promise<void> {
  const blocks = (await abuse.listBlocks()).map(({ value, reason, createdBy, createdAtMs }) => {
    return { value, reason, createdBy, createdAtMs };
  });
  if (isJson) return console.log(JSON.stringify(blocks, null, 2));
  for (const { value, reason, createdBy, createdAtMs } of blocks)
    console.log(`${value}  by ${createdBy} on ${new Date(createdAtMs).toISOString()}: ${reason}`);
}
