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
function drawIcon(name: keyof typeof icons): Icon {
  const paths = [...icons[name].body.matchAll(/ d="([^"]+)"/g)].map(([, path = '']) => path);
  const [fill, line] = name.endsWith('-filled') ? ['currentColor', 'none'] : ['none', 'currentColor'];
  return ({ size = 24, stroke = 2, ...others }) => (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill={fill}
      stroke={line}
      strokeWidth={stroke}
      strokeLinecap="round"
      strokeLinejoin="round"
      {...others}
      aria-hidden="true"
    >
      {paths.map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  );
}

export const IconActivityHeartbeat = drawIcon('activity-heartbeat');
export const IconAlertCircle = drawIcon('alert-circle');
export const IconAlertTriangle = drawIcon('alert-triangle');
export const IconBell = drawIcon('bell');
export const IconBook2 = drawIcon('book-2');
export const IconBookmark = drawIcon('bookmark');
export const IconCalculator = drawIcon('calculator');
export const IconCalendar = drawIcon('calendar');
export const IconChartBar = drawIcon('chart-bar');
export const IconChartDots = drawIcon('chart-dots');
export const IconCheck = drawIcon('check');
export const IconChevronDown = drawIcon('chevron-down');
export const IconChevronLeft = drawIcon('chevron-left');
export const IconChevronRight = drawIcon('chevron-right');
export const IconCircleCheck = drawIcon('circle-check');
export const IconClockHour4 = drawIcon('clock-hour-4');
export const IconCode = drawIcon('code');
export const IconCoins = drawIcon('coins');
export const IconColumns = drawIcon('columns');
export const IconCopy = drawIcon('copy');
export const IconCpu = drawIcon('cpu');
export const IconCreditCard = drawIcon('credit-card');
export const IconDeviceDesktop = drawIcon('device-desktop');
export const IconDots = drawIcon('dots');
export const IconDownload = drawIcon('download');
export const IconFilterOff = drawIcon('filter-off');
export const IconKey = drawIcon('key');
export const IconLayoutDashboard = drawIcon('layout-dashboard');
export const IconListDetails = drawIcon('list-details');
export const IconLogout = drawIcon('logout');
export const IconMail = drawIcon('mail');
export const IconMessages = drawIcon('messages');
export const IconMoon = drawIcon('moon');
export const IconPhotoPlus = drawIcon('photo-plus');
export const IconPlayerPlayFilled = drawIcon('player-play-filled');
export const IconPlayerStopFilled = drawIcon('player-stop-filled');
export const IconPlugConnectedX = drawIcon('plug-connected-x');
export const IconPlus = drawIcon('plus');
export const IconPrinter = drawIcon('printer');
export const IconReceipt = drawIcon('receipt');
export const IconReceiptOff = drawIcon('receipt-off');
export const IconRefresh = drawIcon('refresh');
export const IconScale = drawIcon('scale');
export const IconSearch = drawIcon('search');
export const IconSend = drawIcon('send');
export const IconSettings = drawIcon('settings');
export const IconShare = drawIcon('share');
export const IconSun = drawIcon('sun');
export const IconTrash = drawIcon('trash');
export const IconTrendingDown = drawIcon('trending-down');
export const IconWebhook = drawIcon('webhook');
export const IconX = drawIcon('x');
