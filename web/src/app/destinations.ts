import {
  type Icon,
  IconBook2,
  IconChartBar,
  IconCoins,
  IconCpu,
  IconKey,
  IconLayoutDashboard,
  IconMessages,
  IconReceipt,
  IconSettings,
} from '@tabler/icons-react';
import { paths } from './paths';

export interface Destination {
  readonly to: string;
  readonly label: string;
  readonly Icon: Icon;
  /** Other words that a search finds it by. */
  readonly words: string;
}

/** The pages of the dashboard in their order: first what one does with models, then the account. */
export const destinations: readonly Destination[] = [
  { to: paths.overview(), label: 'Overview', Icon: IconLayoutDashboard, words: 'home balance start' },
  { to: paths.usage(), label: 'Usage', Icon: IconChartBar, words: 'analytics chart spend cost tokens report' },
  { to: paths.calls(), label: 'Calls', Icon: IconReceipt, words: 'log logs history receipt requests activity' },
  { to: paths.playground(), label: 'Playground', Icon: IconMessages, words: 'chat try prompt' },
  { to: paths.models(), label: 'Models', Icon: IconCpu, words: 'prices catalogue providers' },
  { to: paths.keys(), label: 'Keys', Icon: IconKey, words: 'api key secret token' },
  {
    to: paths.credits(),
    label: 'Credits',
    Icon: IconCoins,
    words: 'billing buy money card top up gift code alert webhook purchases statement invoices',
  },
  { to: paths.docs(), label: 'Docs', Icon: IconBook2, words: 'quickstart help python node curl' },
  { to: paths.settings(), label: 'Settings', Icon: IconSettings, words: 'profile password sessions export delete' },
];
