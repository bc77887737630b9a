import { isCompositionFolder, isCompositionRoot } from './composition-roots.js';
import { folderOf, type Import, isTestCode, listImports, type SourceTree } from './source-tree.js';

interface FolderRule {
  /** Folders of `server/` besides its own. */
  readonly mayImport: readonly string[];
  readonly reason: string;
}

/** The import table: which folder of `server/` may know which. */
export const folderRules: Readonly<Record<string, FolderRule>> = {
  kernel: { mayImport: [], reason: 'kernel holds the words that everyone may use, so it can know nobody' },
  database: { mayImport: ['kernel'], reason: 'database knows how to store, not what is stored' },
  config: {
    // The operator's file of models is checked against the providers that exist.
    mayImport: ['kernel', 'database', 'providers'],
    reason: 'settings are read before all else; their types are open to everyone, and their values to what starts',
  },
  pricing: { mayImport: ['kernel'], reason: 'a price is worked out from values alone' },
  demo: { mayImport: ['pricing'], reason: 'a plan of made-up calls; what becomes of them is the seed’s affair' },
  providers: { mayImport: ['kernel', 'pricing'], reason: 'an adapter translates; it knows no account and no money' },
  catalogue: {
    mayImport: ['kernel', 'database', 'pricing', 'providers'],
    reason:
      'it keeps what operators set of providers and prices, and makes the catalogue of it; of an account it knows the id',
  },
  ledger: { mayImport: ['kernel', 'database'], reason: 'whoever moves credits must be read without the rest' },
  audit: { mayImport: ['kernel', 'database'], reason: 'an event is written down as it is told; it asks nobody' },
  accounts: {
    mayImport: ['kernel', 'database', 'ledger', 'audit'],
    reason: 'an account opens its wallet, and knows no more',
  },
  factors: {
    mayImport: ['kernel', 'database', 'accounts', 'audit'],
    reason: 'a factor proves who is there; it asks accounts for passwords and sessions, and knows no more',
  },
  keys: {
    mayImport: ['kernel', 'database', 'ledger', 'idempotency', 'audit'],
    reason: 'a key tells the ledger when its limit changes, and notes in its own transaction that it was made; no more',
  },
  members: {
    mayImport: ['kernel', 'database', 'accounts', 'audit', 'keys'],
    reason: 'a membership ends with its sessions and its keys, each by the word of whoever keeps them',
  },
  redis: { mayImport: ['kernel'], reason: 'a connection knows nothing of what is kept at its other end' },
  limits: {
    mayImport: ['kernel', 'database', 'redis'],
    reason: 'a limit counts requests; it knows nothing of what they ask',
  },
  idempotency: { mayImport: ['kernel', 'database'], reason: 'an answer is kept as it is, and not understood' },
  'kept-items': {
    mayImport: ['kernel', 'redis', 'limits'],
    reason:
      'items are kept sealed, in a store that may be away as those of the limits are; what they say is not understood',
  },
  workers: { mayImport: ['kernel'], reason: 'it carries what workers say of themselves, and does not understand it' },
  usage: { mayImport: ['kernel', 'database', 'audit'], reason: 'usage is told what happened; it asks nobody' },
  notices: { mayImport: ['kernel', 'database'], reason: 'a notice is sent as it was written, and not understood' },
  announcements: {
    mayImport: ['kernel', 'database'],
    reason: 'an announcement is told as it was written; it asks nobody',
  },
  instances: {
    mayImport: ['kernel', 'database'],
    reason: 'a process says of itself what it is told to; it knows nothing of what the figures are about',
  },
  totals: {
    mayImport: ['kernel', 'database', 'pricing'],
    reason: 'it sums what the ledger wrote, by its tables; it moves nothing and asks nobody',
  },
  'saved-items': { mayImport: ['kernel', 'database', 'audit'], reason: 'what is saved is not understood' },
  webhooks: {
    mayImport: ['kernel', 'database', 'notices', 'audit', 'usage', 'idempotency'],
    reason: 'an endpoint is made once, and told what receipts say, by the outbox; it moves nothing and asks nobody',
  },
  alerts: {
    mayImport: ['kernel', 'database', 'ledger', 'notices', 'audit'],
    reason: 'an alert is decided by what the ledger’s sums say, and handed to the outbox',
  },
  purchases: {
    mayImport: ['kernel', 'database', 'ledger', 'notices', 'idempotency', 'audit'],
    reason: 'a purchase is begun once for the same request, ends in a grant and may be told of; it knows no more',
  },
  'top-ups': {
    mayImport: ['kernel', 'database', 'ledger', 'notices', 'audit', 'alerts', 'purchases'],
    reason: 'a balance that falls is told of and topped up: a top-up is a purchase by the saved card',
  },
  gifts: {
    mayImport: ['kernel', 'database', 'ledger', 'audit'],
    reason: 'a gift is claimed once and granted; it knows no more',
  },
  operator: {
    mayImport: [
      'kernel',
      'database',
      'ledger',
      'keys',
      'accounts',
      'factors',
      'purchases',
      'catalogue',
      'announcements',
      'limits',
      'totals',
      'idempotency',
      'audit',
      'schema',
    ],
    reason:
      'the operator’s desk asks the owners of what it changes, refunds too, writes its own log and notes what was made for a word; operators sign in by what accounts and factors know of passwords and codes',
  },
  wires: {
    mayImport: ['kernel', 'providers'],
    reason: 'a wire puts requests and answers in the words of its callers; it knows no account and no money',
  },
  tracing: { mayImport: ['kernel'], reason: 'a trace is told when work begins and ends; it knows none of it' },
  proxy: {
    mayImport: [
      'kernel',
      'keys',
      'ledger',
      'pricing',
      'providers',
      'usage',
      'limits',
      'idempotency',
      'wires',
      'tracing',
    ],
    reason: 'one call holds, calls and settles; it stores nothing by itself and knows no HTTP',
  },
  http: {
    // Of the database it knows by which errors it is away.
    mayImport: [
      'kernel',
      'database',
      'accounts',
      'audit',
      'factors',
      'keys',
      'saved-items',
      'proxy',
      'purchases',
      'providers',
      'usage',
      'limits',
      'idempotency',
      'kept-items',
      'wires',
      'tracing',
    ],
    reason: 'the edge turns HTTP into one call of a service; money and storage lie behind that service',
  },
  schema: { mayImport: ['kernel'], reason: 'what the resolvers of all domains share knows none of the domains' },
  graphql: {
    mayImport: ['kernel', 'database', 'schema', 'accounts', 'keys', 'audit', 'operator'],
    reason: 'the edge needs to know who is asking and by which errors the database is away, and no more',
  },
};

/** For resolvers what `entities.ts` is for tables: the lists of them all. */
const resolverLists = new Set(['server/graphql/resolvers', 'server/graphql/operator-resolvers']);

interface PackageRule {
  readonly packages: readonly string[];
  readonly onlyIn: RegExp;
  readonly reason: string;
}

const packageRules: readonly PackageRule[] = [
  {
    packages: ['undici'],
    onlyIn: /^(server\/providers|bench)\//,
    reason: 'one place calls upstream, with its time limits and size limits',
  },
  { packages: ['ioredis'], onlyIn: /^server\/redis\//, reason: 'one place keeps the connection to Redis' },
  {
    packages: ['gpt-tokenizer'],
    onlyIn: /^server\/proxy\/(metering\/count-tokens|requests\/parse-request)-worker\.ts$/,
    reason: 'a tokenizer holds up every stream of the thread that it runs in',
  },
  { packages: ['nodemailer'], onlyIn: /^server\/notices\//, reason: 'one place sends mail, from the outbox' },
  {
    packages: ['@simplewebauthn/server'],
    onlyIn: /^server\/factors\/passkeys\/passkey-ceremonies\.ts$/,
    reason: 'one place makes challenges and checks what passkeys have signed',
  },
  { packages: ['otpauth'], onlyIn: /^server\/factors\//, reason: 'one place makes and checks the codes of apps' },
  {
    packages: ['openid-client'],
    onlyIn: /^server\/accounts\/identities\//,
    reason: 'one place asks other providers who somebody is, within its bounds',
  },
  { packages: ['stripe'], onlyIn: /^server\/purchases\//, reason: 'only the payment gateway knows Stripe' },
];

/** Every import that breaks the table, each as one sentence. */
export function findImportViolations(tree: SourceTree): string[] {
  return [...tree]
    .filter(([path]) => /\.tsx?$/.test(path) && !isTestCode(path))
    .flatMap(([path, text]) =>
      listImports(path, text).flatMap((wanted) => {
        const reason = path.startsWith('web/') ? refuseInWeb(path, wanted) : refuseInServer(path, wanted);
        return reason === null ? [] : [`${path} imports ${wanted.target}: ${reason}.`];
      }),
    );
}

/** Every folder of `server/` that the table does not know; a new one is guarded at birth. */
export function findUnknownFolders(tree: SourceTree): string[] {
  const folders = new Set([...tree.keys()].map((path) => /^server\/([^/]+)\//.exec(path)?.[1] ?? 'test'));
  return [...folders]
    .filter((folder) => folder !== 'test' && !isCompositionFolder(folder) && !(folder in folderRules))
    .map((folder) => `server/${folder}/ has no row in the import table: say what it may import, and why.`);
}

function refuseInServer(path: string, wanted: Import): string | null {
  const file = path.replace(/\.ts$/, '');
  if (!wanted.isOurs) return refusePackage(path, wanted.target);
  if (wanted.target.endsWith('.entity') && folderOf(path) !== folderOf(wanted.target) && file !== 'server/entities') {
    return 'a table belongs to its folder; ask that folder’s service';
  }
  if (isCompositionRoot(file)) return null;
  if (folderOf(wanted.target) === 'config' && wanted.isTypeOnly) return null;
  if (isTestCode(`${wanted.target}.ts`)) return 'what serves tests must not reach production';
  if (path.endsWith('.graphql.ts')) return refuseInResolver(path, wanted);
  if (resolverLists.has(file) && wanted.target.endsWith('.graphql')) return null;
  return refuseByTable(path, wanted);
}

function refusePackage(path: string, name: string): string | null {
  if (path.endsWith('.graphql.ts') && name === 'typeorm')
    return 'a resolver calls a service, which talks to the database';
  const rule = packageRules.find(({ packages }) => packages.includes(name));
  return rule === undefined || rule.onlyIn.test(path) ? null : rule.reason;
}

function refuseInResolver(path: string, wanted: Import): string | null {
  if (wanted.target.endsWith('.entity')) return 'a table’s shape is not the public shape';
  const isAllowed = [folderOf(path), 'schema', 'kernel'].includes(folderOf(wanted.target));
  return isAllowed ? null : 'a resolver knows its own folder, schema and kernel';
}

function refuseByTable(path: string, wanted: Import): string | null {
  const folder = folderOf(path);
  const target = folderOf(wanted.target);
  if (!wanted.target.startsWith('server/')) return 'the server stands on its own';
  // run-workers.ts is the one file beside the folders that is no composition root.
  const rule =
    folder === ''
      ? { mayImport: ['kernel', 'workers'], reason: 'workers are started before anything' }
      : folderRules[folder];
  if (rule === undefined || folder === target || rule.mayImport.includes(target)) return null;
  return rule.reason;
}

function refuseInWeb(path: string, wanted: Import): string | null {
  if (!wanted.isOurs) return null;
  if (!wanted.target.startsWith('web/')) return 'for the dashboard, only web/src/gql stands for the server';
  const from = path.split('/');
  const to = wanted.target.split('/');
  if (from[2] === 'features' && to[2] === 'features' && from[3] !== to[3]) {
    return 'features do not know each other; share through components or lib';
  }
  if (from[2] === 'components' && to[2] === 'features') return 'a component serves every feature, and knows none';
  if (from[2] === 'components' && to[2] === 'gql') return 'a component is given values, and knows no GraphQL';
  return null;
}
