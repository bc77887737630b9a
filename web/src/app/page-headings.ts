import { matchPath } from 'react-router';
import { pathPatterns } from './paths';

/** What stands at the top of a page, whoever looks at it. */
export interface PageHeading {
  readonly title: string;
  readonly description: string;
}

/**
 * The headings that are known before anything of a page is there: the server puts them into the frame of `index.html`, the page's outline
 * shows them, and so does the page.
 */
export const pageHeadings = {
  overview: {
    title: 'Overview',
    description: 'Your balance, how long it will last, and what your latest calls cost.',
  },
  usage: { title: 'Usage', description: 'Where your credits go: by model, by provider and by key.' },
  explore: {
    title: 'Explore',
    description: 'Any metric by model, key, tag or end user, compared with the period before.',
  },
  requests: {
    title: 'Requests',
    description: 'Every request your programs made: what it cost, or why it was refused.',
  },
  playground: {
    title: 'Playground',
    description: 'Try models with your own prompts. Answers are billed like any other call.',
  },
  models: { title: 'Models', description: 'Every model on this server, what it can do and what it costs.' },
  pricing: {
    title: 'Pricing',
    description: 'Prepaid credits: a dollar is 1,000 credits, and one token costs exactly what its tier says.',
  },
  status: {
    title: 'Status',
    description: 'Whether this server and its providers are up, now and over the last 30 days.',
  },
  keys: { title: 'Keys', description: 'Secrets that your programs use to call the API.' },
  credits: { title: 'Credits', description: 'Bought in advance, spent by the token.' },
  budgets: { title: 'Budgets', description: 'How long your balance and the budgets of your keys will last.' },
  webhooks: { title: 'Webhooks', description: 'Signed events about credits and calls, sent to your own URLs.' },
  proof: {
    title: 'Proof',
    description: 'Credits in = used + reserved + left. Check it yourself.',
  },
  purchaseReceipt: { title: 'Receipt', description: 'For a purchase of credits.' },
  docs: { title: 'Docs', description: 'Make your first call in a minute.' },
  settings: { title: 'Settings', description: 'Your profile, sign-in and security.' },
  members: { title: 'Members', description: 'Who has access to this account, and what they may do.' },
} satisfies Partial<Record<keyof typeof pathPatterns, PageHeading>>;

/** @returns null for an address that is no page inside. */
export function findPageHeading(pathname: string): PageHeading | null {
  const names = Object.keys(pageHeadings) as (keyof typeof pageHeadings)[];
  const name = names.find((one) => matchPath(pathPatterns[one], pathname) !== null);
  return name === undefined ? null : pageHeadings[name];
}
