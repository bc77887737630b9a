import '@mantine/notifications/styles.css';
import './toasts.css';
import { Notifications } from '@mantine/notifications';

/** Where toasts appear. Fetched after the first page, which needs none; one that is shown earlier waits for it. */
export default function Toasts() {
  return <Notifications position="top-right" autoClose={5000} />;
}
