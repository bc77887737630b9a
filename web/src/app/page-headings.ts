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
    description: 'Your balance, how long it lasts at this pace, and what your latest calls cost.',
  },
  usage: { title: 'Usage', description: 'Where your credits go: by model, by provider and by key.' },
  explore: { title: 'Explore', description: 'Any figure, by model, key, tag or end user, beside the period before.' },
  requests: {
    title: 'Requests',
    description: 'What your programs asked for, what each answer cost, and what was refused.',
  },
  playground: {
    title: 'Playground',
    description: 'Try models with your own words. Each answer is billed as any call is.',
  },
  models: { title: 'Models', description: 'Every model that this server offers, what it can do and what it costs.' },
  pricing: {
    title: 'Pricing',
    description: 'Prepaid credits: a dollar is 1,000 credits, and one token costs exactly what its tier says.',
  },
  status: { title: 'Status', description: 'How this server and its providers do, now and in the last 30 days.' },
  keys: { title: 'Keys', description: 'What your programs show to the proxy instead of a password.' },
  credits: { title: 'Credits', description: 'Bought in advance, spent by the token.' },
  budgets: { title: 'Budgets', description: 'How long the balance and the budgets of your keys last.' },
  webhooks: { title: 'Webhooks', description: 'Signed messages to addresses of yours, about credits and calls.' },
  proof: {
    title: 'Proof',
    description: 'What came in is what was used, is reserved and is left. Check it yourself.',
  },
  purchaseReceipt: { title: 'Receipt', description: 'Of credits that were bought.' },
  docs: { title: 'Docs', description: 'From your program to a billed answer in a minute.' },
  settings: { title: 'Settings', description: 'Your account, and who may get into it.' },
  members: { title: 'Members', description: 'Who may see this account, and act for it.' },
} satisfies Partial<Record<keyof typeof pathPatterns, PageHeading>>;

/** @returns null for an address that is no page inside. */
export function findPageHeading(pathname: string): PageHeading | null {
  const names = Object.keys(pageHeadings) as (keyof typeof pageHeadings)[];
  const name = names.find((one) => matchPath(pathPatterns[one], pathname) !== null);
  return name === undefined ? null : pageHeadings[name];
}
