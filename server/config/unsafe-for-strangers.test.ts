import { loadConfig } from './config.js';
import {
  describeLocalMoney,
  findMoneyFault,
  isReachableByOthers,
  listUnsafeForStrangers,
} from './unsafe-for-strangers.js';

type Settings = Readonly<Record<string, string>>;
const load = (settings: Settings) => loadConfig(settings, () => null);
const testKey = 'sk_test_0123456789abcdef';
const liveKey = 'sk_live_0123456789abcdef';
const openai = { OPENAI_API_KEY: 'sk-abc' };
const production = { NODE_ENV: 'production', PUBLIC_URL: 'https://credits.example.com', TRUST_PROXY: '1' };

describe('A server is reachable by others', () => {
  it.each([{}, { HOST: '127.0.0.1' }, { HOST: '127.9.9.9' }, { HOST: '::1' }, { PUBLIC_URL: 'http://[::1]:8080' }])(
    'not by %j',
    (settings) => expect(isReachableByOthers(load(settings))).toBe(false),
  );

  it.each([
    { NODE_ENV: 'production' },
    { HOST: '0.0.0.0' },
    { HOST: '::' },
    { HOST: '192.168.1.5' },
    { HOST: 'my-machine' },
    { HOST: '::ffff:192.168.1.5' },
    { PUBLIC_URL: 'https://credits.example.com' },
    { PUBLIC_URL: 'http://localhost.example.com' },
    { TRUST_PROXY: '1' },
    { TRUST_PROXY: '10.0.0.0/8' },
  ] as Settings[])('by %j', (settings) => expect(isReachableByOthers(load(settings))).toBe(true));
});

describe('Money that is not real', () => {
  it.each([
    ['simulated', { ...openai, HOST: '0.0.0.0' }, /STRIPE_SECRET_KEY is empty.*HOST=0\.0\.0\.0.*openai/],
    ['simulated, behind a proxy', { ...openai, TRUST_PROXY: '1' }, /STRIPE_SECRET_KEY is empty.*TRUST_PROXY=1/],
    ['simulated, with a public address', { ...openai, PUBLIC_URL: 'https://x.example.com' }, /PUBLIC_URL=https:/],
    ['simulated, in a test', { ...openai, NODE_ENV: 'test', HOST: '::' }, /HOST=::/],
    ['of a test key', { ...openai, ...production, STRIPE_SECRET_KEY: testKey }, /is a test key.*HOST=0\.0\.0\.0/],
    ['for a moved provider', { ...openai, OPENAI_BASE_URL: 'http://localhost:4000', HOST: '::' }, /openai/],
    ['for a keyless one elsewhere', { VLLM_BASE_URL: 'http://10.0.0.7:8000/v1', HOST: '0.0.0.0' }, /vllm/],
  ] as [string, Settings, RegExp][])(
    '%s never buys real answers for others: one line says why',
    (_, settings, words) => {
      const fault = findMoneyFault(load(settings));
      expect(fault).toMatch(words);
      expect(fault).toMatch(/ALLOW_SIMULATED_MONEY_FOR_REAL_PROVIDERS=true/);
      expect(fault).not.toMatch(/\n|sk-abc|sk_test_0/);
      const allowed = load({ ...settings, ALLOW_SIMULATED_MONEY_FOR_REAL_PROVIDERS: 'true' });
      expect(findMoneyFault(allowed)).toBeNull();
      expect(listUnsafeForStrangers(allowed).map(({ code }) => code)).toContain('simulated_money_for_real_providers');
    },
  );

  it.each([
    ['nobody else', openai],
    ['the demo provider', { HOST: '0.0.0.0' }],
    ['a model of this machine', { HOST: '0.0.0.0', OLLAMA_BASE_URL: 'http://localhost:11434/v1' }],
    ['nobody, since nothing is sold', { ...openai, ...production }],
    ['real money', { ...openai, ...production, STRIPE_SECRET_KEY: liveKey }],
  ] as [string, Settings][])('is no matter where it meets %s', (_, settings) => {
    expect(findMoneyFault(load(settings))).toBeNull();
  });

  it('of a provider in the operator’s own file counts as well', () => {
    const yaml = 'providers: { acme: { baseUrl: "https://acme.example.com/v1", apiKey: abc } }';
    expect(findMoneyFault(loadConfig({ HOST: '0.0.0.0' }, () => yaml))).toMatch(/acme/);
    expect(describeLocalMoney(loadConfig({}, () => yaml))).toMatch(/acme/);
  });

  it('is spoken of in one line where only this machine is served', () => {
    expect(describeLocalMoney(load(openai))).toMatch(/^STRIPE_SECRET_KEY is empty.* openai, which you pay for\.$/);
    expect(describeLocalMoney(load({}))).toBeNull();
  });
});

describe('What is unsafe for strangers', () => {
  const codesOf = (settings: Settings) => listUnsafeForStrangers(load(settings)).map(({ code }) => code);

  it('is nothing where there are no strangers', () => expect(codesOf({ ...openai, SIGNUP_CREDITS: '5' })).toEqual([]));

  it('is nothing in a server that is set up whole', () => {
    const whole = {
      ...{ ...production, ...openai, STRIPE_SECRET_KEY: liveKey, STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdefghij' },
      ...{ SMTP_URL: 'smtps://mail.example.com', MAIL_FROM: 'a@example.com', OPERATOR_EMAIL: 'b@example.com' },
    };
    expect(codesOf(whole)).toEqual([]);
  });

  it.each([
    ['gift_credits_for_real_providers', { ...production, ...openai, SIGNUP_CREDITS: '5' }],
    ['not_production', { HOST: '0.0.0.0' }],
    ['demo_provider', { ...production, DEMO_PROVIDER: 'on' }],
    ['public_url_without_tls', { ...production, PUBLIC_URL: 'http://credits.example.com' }],
    ['public_url_is_local', { NODE_ENV: 'production' }],
    ['proxy_not_named', { ...production, TRUST_PROXY: '0' }],
    ['provider_without_tls', { ...production, ...openai, OPENAI_BASE_URL: 'http://10.0.0.7/v1' }],
    ['no_mail', production],
    ['no_operator_email', production],
    ['stripe_without_webhook', { ...production, STRIPE_SECRET_KEY: liveKey }],
  ] as [string, Settings][])('is %s, with a text and a remedy', (code, settings) => {
    const risk = listUnsafeForStrangers(load(settings)).find((found) => found.code === code);
    expect(risk?.text).toMatch(/^[A-Z].{20,}\.$/);
    expect(risk?.remedy).toMatch(/^[A-Z].{10,}\.$/);
  });
});
