import { z } from 'zod';
import { Secret } from '../kernel/secret.js';
import { secret } from '../kernel/settings/secret-setting.js';
import { findSecretFault, findTextFault, isSafeAddress } from '../kernel/settings/setting-shapes.js';

const sealingKey = () =>
  secret(
    z
      .string()
      .regex(/^[\x21-\x7e]{32,200}$/, 'must be 32 to 200 random letters and digits')
      .optional(),
  );

/** The settings about signing in whose names are fixed. */
export const signInShape = {
  SECRETS_KEY: sealingKey(),
  SECRETS_KEY_OLD: sealingKey(),
  GITHUB_CLIENT_ID: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'must be the client id of an OAuth app of GitHub')
    .optional(),
  GITHUB_CLIENT_SECRET: secret(
    z
      .string()
      .regex(/^[\x21-\x7e]{1,500}$/, 'must be a client secret of that OAuth app')
      .optional(),
  ),
};

/** A provider by which people may sign in. */
export interface SignInProviderSettings {
  /** GitHub speaks OAuth 2.0 and has an address of its own for who it was; all others speak OpenID Connect. */
  readonly kind: 'github' | 'oidc';
  /** In lower case, as addresses name it. */
  readonly id: string;
  /** What buttons call it. */
  readonly label: string;
  /** Of GitHub its own address. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  /** With spaces between them. */
  readonly scopes: string;
}

export interface SignInSettings {
  /** Encrypts what has to be read again; null: on SQLite a file beside the database holds one. */
  readonly secretsKey: Secret | null;
  /** The one before it, which still opens what it has sealed; null: there is none. */
  readonly oldSecretsKey: Secret | null;
  readonly signInProviders: readonly SignInProviderSettings[];
}

type FilledIn = Readonly<Record<string, string | undefined>>;

const parts = ['ISSUER', 'CLIENT_ID', 'CLIENT_SECRET', 'LABEL', 'SCOPES'] as const;
const required = ['ISSUER', 'CLIENT_ID', 'CLIENT_SECRET'] as const;
type Part = (typeof parts)[number];
const nameShape = /^OIDC_([A-Z][A-Z0-9]{0,23})_(ISSUER|CLIENT_ID|CLIENT_SECRET|LABEL|SCOPES)(_FILE)?$/;
// Other programs have settings of their own that begin so; these can only be meant for us.
const nearName = /^OIDC_.*_(ISSUER|CLIENT_ID|CLIENT_SECRET)(_FILE)?$/;
const githubIssuer = 'https://github.com/login/oauth';
const labelLengthMax = 40;

/** The settings that hold the secrets of the OpenID Connect providers which an environment names. */
export function listOidcSecretNames(environment: FilledIn): string[] {
  return listNames(environment).map((name) => `OIDC_${name}_CLIENT_SECRET`);
}

/** What a server needs to know of signing in; of a provider whose settings have faults, nothing. */
export function readSignInSettings(known: FilledIn): SignInSettings {
  const names = listNames(known).filter((name) => findFaultsOf(name, known).length === 0);
  const github = findGithubFaults(known).length === 0 ? readGithub(known) : [];
  const key = (text: string | undefined) => (text === undefined ? null : new Secret(text));
  return {
    secretsKey: key(known.SECRETS_KEY),
    oldSecretsKey: key(known.SECRETS_KEY_OLD),
    signInProviders: Object.freeze([...github, ...names.map((name) => readOidc(name, known))]),
  };
}

/** What is wrong with keys and providers, each as one sentence without a value; of each provider the first. */
export function findSignInFaults(known: FilledIn): readonly string[] {
  const misspelt = Object.keys(known).filter((name) => known[name] && nearName.test(name) && !nameShape.test(name));
  return [
    ...misspelt.map(
      (name) => `${name} is no setting: write OIDC_<NAME>_ISSUER and so on, <NAME> in letters and digits`,
    ),
    ...(known.SECRETS_KEY_OLD !== undefined && known.SECRETS_KEY === undefined
      ? ['SECRETS_KEY_OLD needs SECRETS_KEY, the key that takes its place']
      : []),
    ...findGithubFaults(known),
    ...listNames(known).flatMap((name) => findFaultsOf(name, known).slice(0, 1)),
  ];
}

function listNames(environment: FilledIn): string[] {
  const named = Object.entries(environment).filter(([, value]) => value);
  return [...new Set(named.flatMap(([name]) => nameShape.exec(name)?.[1] ?? []))].sort();
}

function findGithubFaults({ GITHUB_CLIENT_ID: id, GITHUB_CLIENT_SECRET: clientSecret }: FilledIn): string[] {
  if ((id === undefined) === (clientSecret === undefined)) return [];
  return [
    id === undefined ? 'GITHUB_CLIENT_SECRET needs GITHUB_CLIENT_ID' : 'GITHUB_CLIENT_ID needs GITHUB_CLIENT_SECRET',
  ];
}

function findFaultsOf(name: string, known: FilledIn): string[] {
  const settingOf = (part: Part) => known[`OIDC_${name}_${part}`];
  const [given = 'ISSUER'] = parts.filter((part) => settingOf(part) !== undefined);
  const missing = required.filter((part) => settingOf(part) === undefined).map((part) => `OIDC_${name}_${part}`);
  return [
    ...parts.flatMap((part) => findFaultOf(`OIDC_${name}_${part}`, part, settingOf(part)) ?? []),
    ...(missing.length > 0 ? [`OIDC_${name}_${given} needs ${missing.join(' and ')}`] : []),
    ...(name === 'GITHUB' ? ['OIDC_GITHUB: GitHub speaks no OpenID Connect; set GITHUB_CLIENT_ID instead'] : []),
  ];
}

function findFaultOf(setting: string, part: Part, value: string | undefined): string | null {
  if (value === undefined) return null;
  const textFault = findTextFault(setting, value);
  if (textFault !== null) return textFault;
  if (part === 'CLIENT_ID' || part === 'CLIENT_SECRET') return findSecretFault(setting, value);
  if (part === 'LABEL') {
    return value.length <= labelLengthMax ? null : `${setting} must have at most ${labelLengthMax} characters`;
  }
  if (part === 'SCOPES') {
    const scopes = value.split(' ');
    const isSound = scopes.includes('openid') && scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
    return isSound ? null : `${setting} must be scopes with spaces between them, openid among them`;
  }
  // Whoever could change what is read there would sign in as anybody.
  return isSafeAddress(value) ? null : `${setting} must be an https address such as https://accounts.google.com`;
}

function readGithub({ GITHUB_CLIENT_ID: clientId, GITHUB_CLIENT_SECRET: clientSecret }: FilledIn) {
  if (clientId === undefined || clientSecret === undefined) return [];
  const fixed = { kind: 'github', id: 'github', label: 'GitHub', issuer: githubIssuer } as const;
  return [
    Object.freeze({ ...fixed, clientId, clientSecret: new Secret(clientSecret), scopes: 'read:user user:email' }),
  ];
}

function readOidc(name: string, known: FilledIn): SignInProviderSettings {
  const settingOf = (part: Part) => known[`OIDC_${name}_${part}`];
  return Object.freeze({
    kind: 'oidc' as const,
    id: name.toLowerCase(),
    label: settingOf('LABEL') ?? `${name.slice(0, 1)}${name.slice(1).toLowerCase()}`,
    issuer: settingOf('ISSUER') ?? '',
    clientId: settingOf('CLIENT_ID') ?? '',
    clientSecret: new Secret(settingOf('CLIENT_SECRET') ?? ''),
    scopes: settingOf('SCOPES') ?? 'openid email profile',
  });
}
