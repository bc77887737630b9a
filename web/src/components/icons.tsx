import { icons } from '@iconify-json/tabler/icons.json';
import type { ComponentType, SVGProps } from 'react';

/** An icon is decoration for who sees it: what it means stands in words beside it, or in the label of its button. */
interface IconProps extends Omit<SVGProps<SVGSVGElement>, 'stroke'> {
  /** Width and height, in pixels. */
  readonly size?: number;
  /** Width of the lines, of 24 that the icon is wide; left out, 2. */
  readonly stroke?: number;
}

export type Icon = ComponentType<IconProps>;

/**
 * One of Tabler's icons. The package is data alone, and a build keeps what is named here (`web/bundle/keep-used-icons.ts`): as
 * React components the same icons are eighteen thousand files, which every first start would wait for.
 */
function drawIcon(name: keyof typeof icons, { size = 24, stroke = 2, ...others }: IconProps) {
  const [fill, line] = name.endsWith('-filled') ? ['currentColor', 'none'] : ['none', 'currentColor'];
  const lines = { strokeWidth: stroke, strokeLinecap: 'round', strokeLinejoin: 'round' } as const;
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill={fill}
      stroke={line}
      {...lines}
      {...others}
      aria-hidden="true"
    >
      {listPaths(name).map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  );
}

function listPaths(name: keyof typeof icons): string[] {
  return [...icons[name].body.matchAll(/ d="([^"]+)"/g)].map(([, path = '']) => path);
}

export const IconActivityHeartbeat: Icon = (props) => drawIcon('activity-heartbeat', props);
export const IconAlertCircle: Icon = (props) => drawIcon('alert-circle', props);
export const IconAlertTriangle: Icon = (props) => drawIcon('alert-triangle', props);
export const IconBell: Icon = (props) => drawIcon('bell', props);
export const IconBook2: Icon = (props) => drawIcon('book-2', props);
export const IconBookmark: Icon = (props) => drawIcon('bookmark', props);
export const IconCalculator: Icon = (props) => drawIcon('calculator', props);
export const IconCalendar: Icon = (props) => drawIcon('calendar', props);
export const IconChartBar: Icon = (props) => drawIcon('chart-bar', props);
export const IconChartDots: Icon = (props) => drawIcon('chart-dots', props);
export const IconCheck: Icon = (props) => drawIcon('check', props);
export const IconChevronDown: Icon = (props) => drawIcon('chevron-down', props);
export const IconChevronLeft: Icon = (props) => drawIcon('chevron-left', props);
export const IconChevronRight: Icon = (props) => drawIcon('chevron-right', props);
export const IconCircleCheck: Icon = (props) => drawIcon('circle-check', props);
export const IconClockHour4: Icon = (props) => drawIcon('clock-hour-4', props);
export const IconCode: Icon = (props) => drawIcon('code', props);
export const IconCoins: Icon = (props) => drawIcon('coins', props);
export const IconColumns: Icon = (props) => drawIcon('columns', props);
export const IconCopy: Icon = (props) => drawIcon('copy', props);
export const IconCpu: Icon = (props) => drawIcon('cpu', props);
export const IconCreditCard: Icon = (props) => drawIcon('credit-card', props);
export const IconDeviceDesktop: Icon = (props) => drawIcon('device-desktop', props);
export const IconDots: Icon = (props) => drawIcon('dots', props);
export const IconDownload: Icon = (props) => drawIcon('download', props);
export const IconFilterOff: Icon = (props) => drawIcon('filter-off', props);
export const IconKey: Icon = (props) => drawIcon('key', props);
export const IconLayoutDashboard: Icon = (props) => drawIcon('layout-dashboard', props);
export const IconListDetails: Icon = (props) => drawIcon('list-details', props);
export const IconLogout: Icon = (props) => drawIcon('logout', props);
export const IconMail: Icon = (props) => drawIcon('mail', props);
export const IconMessages: Icon = (props) => drawIcon('messages', props);
export const IconMoon: Icon = (props) => drawIcon('moon', props);
export const IconPhotoPlus: Icon = (props) => drawIcon('photo-plus', props);
export const IconPlayerPlayFilled: Icon = (props) => drawIcon('player-play-filled', props);
export const IconPlayerStopFilled: Icon = (props) => drawIcon('player-stop-filled', props);
export const IconPlugConnectedX: Icon = (props) => drawIcon('plug-connected-x', props);
export const IconPlus: Icon = (props) => drawIcon('plus', props);
export const IconPrinter: Icon = (props) => drawIcon('printer', props);
export const IconReceipt: Icon = (props) => drawIcon('receipt', props);
export const IconReceiptOff: Icon = (props) => drawIcon('receipt-off', props);
export const IconRefresh: Icon = (props) => drawIcon('refresh', props);
export const IconScale: Icon = (props) => drawIcon('scale', props);
export const IconSearch: Icon = (props) => drawIcon('search', props);
export const IconSend: Icon = (props) => drawIcon('send', props);
export const IconSettings: Icon = (props) => drawIcon('settings', props);
export const IconShare: Icon = (props) => drawIcon('share', props);
export const IconSun: Icon = (props) => drawIcon('sun', props);
export const IconTrash: Icon = (props) => drawIcon('trash', props);
export const IconTrendingDown: Icon = (props) => drawIcon('trending-down', props);
export const IconWebhook: Icon = (props) => drawIcon('webhook', props);
export const IconX: Icon = (props) => drawIcon('x', props);
