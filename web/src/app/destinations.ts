import {
  type Icon,
  IconActivityHeartbeat,
  IconBook2,
  IconCalculator,
  IconChartBar,
  IconChartDots,
  IconCoins,
  IconCpu,
  IconKey,
  IconLayoutDashboard,
  IconMessages,
  IconReceipt,
  IconScale,
  IconSettings,
  IconTrendingDown,
  IconWebhook,
} from '../components/icons';
import { paths } from './paths';

export interface Destination {
  readonly to: string;
  readonly label: string;
  readonly Icon: Icon;
  /** Other words that a search finds it by. */
  readonly words: string;
}

/** Of the pages, how many are about models; the others are about the account. */
export const modelPageCount = 8;

/** The pages of the dashboard in their order: first what one does with models, then the account. */
export const destinations: readonly Destination[] = [
  { to: paths.overview(), label: 'Overview', Icon: IconLayoutDashboard, words: 'home balance start' },
  { to: paths.usage(), label: 'Usage', Icon: IconChartBar, words: 'analytics chart spend cost tokens report' },
  {
    to: paths.requests(),
    label: 'Requests',
    Icon: IconReceipt,
    words: 'calls log logs history receipt refused activity',
  },
  { to: paths.playground(), label: 'Playground', Icon: IconMessages, words: 'chat try prompt' },
  {
    to: paths.explore(),
    label: 'Explore',
    Icon: IconChartDots,
    words: 'latency p95 ttft group tag end user compare period',
  },
  { to: paths.models(), label: 'Models', Icon: IconCpu, words: 'prices catalogue providers' },
  { to: paths.pricing(), label: 'Pricing', Icon: IconCalculator, words: 'calculator cost tiers price per million' },
  {
    to: paths.status(),
    label: 'Status',
    Icon: IconActivityHeartbeat,
    words: 'uptime providers outage incident latency',
  },
  { to: paths.keys(), label: 'Keys', Icon: IconKey, words: 'api key secret token' },
  {
    to: paths.credits(),
    label: 'Credits',
    Icon: IconCoins,
    words: 'billing buy money card top up gift code alert purchases statement invoices',
  },
  {
    to: paths.budgets(),
    label: 'Budgets',
    Icon: IconTrendingDown,
    words: 'runway burn down limit notifications alerts spike',
  },
  {
    to: paths.proof(),
    label: 'Proof',
    Icon: IconScale,
    words: 'statement ledger books audit verified print balance adds up',
  },
  {
    to: paths.webhooks(),
    label: 'Webhooks',
    Icon: IconWebhook,
    words: 'endpoints integrations events deliveries signature secret',
  },
  { to: paths.docs(), label: 'Docs', Icon: IconBook2, words: 'quickstart help python node curl' },
  { to: paths.settings(), label: 'Settings', Icon: IconSettings, words: 'profile password sessions export delete' },
];
