import { loadConfig } from '../config/config.js';
import { describeStart } from './describe-start.js';

const none = () => null;

describe('what a terminal is told at the start', () => {
  it('is the address, that the demo is on, and the next step, without any setting', () => {
    const words = describeStart(loadConfig({}, none));
    expect(words).toContain('http://localhost:8080\n');
    expect(words).toContain('demo-small');
    expect(words).toContain('http://localhost:8080/sign-up; it starts with 1000 credits');
    expect(words).toContain('npm run seed');
  });

  it('is the link of the first operator, as long as nobody runs it', () => {
    const config = loadConfig({}, none);
    expect(describeStart(config, 'http://localhost:8080/operator/join#a-token')).toContain('/operator/join#a-token');
    expect(describeStart(config, null)).not.toContain('/operator');
  });

  it('says that the console needs SECRETS_KEY on MySQL, where no link is made without it', () => {
    const mysql = { DATABASE_URL: 'mysql://tollgate:secret@127.0.0.1/tollgate' };
    expect(describeStart(loadConfig(mysql, none), null)).toContain('set SECRETS_KEY first');
    const withKey = { ...mysql, SECRETS_KEY: 'x'.repeat(32) };
    expect(describeStart(loadConfig(withKey, none), null)).not.toContain('SECRETS_KEY');
  });

  it('names no demo and no gift where there is none', () => {
    const words = describeStart(loadConfig({ NODE_ENV: 'production', PUBLIC_URL: 'https://ai.example.com' }, none));
    expect(words).toContain('https://ai.example.com/sign-up.');
    expect(words).not.toMatch(/demo-small|simulated|credits/);
  });
});

describe('credits of a new account without a setting', () => {
  const giftOf = (environment: Record<string, string>) => loadConfig(environment, none).signupMillicredits;

  it('are 1,000 where the demo alone answers', () => expect(giftOf({})).toBe(1_000_000));
  it.each([
    [{ OPENAI_API_KEY: 'sk-real' }],
    [{ OLLAMA_BASE_URL: 'http://localhost:11434/v1' }],
    [{ NODE_ENV: 'production' }],
    [{ NODE_ENV: 'production', DEMO_PROVIDER: 'on' }],
    [{ DEMO_PROVIDER: 'off' }],
    [{ SIGNUP_CREDITS: '0' }],
  ] as Record<string, string>[][])('are none with %j', (environment) => expect(giftOf(environment ?? {})).toBe(0));
  it('are what the setting says', () => expect(giftOf({ SIGNUP_CREDITS: '7', OPENAI_API_KEY: 'sk-real' })).toBe(7_000));
});
