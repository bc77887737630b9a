import '../app/mantine.css';
import '../app/global.css';
import '../app/touch.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { cssVariablesResolver, theme } from '../app/theme';
import { GalleryPage } from './gallery-page';

/* For contributors: `npm run dev`, then http://localhost:5173/gallery.html. It is no part of what is built. */
const container = document.getElementById('root');
if (container === null) throw new Error('gallery.html has no element with the id root');
createRoot(container).render(
  <MantineProvider theme={theme} cssVariablesResolver={cssVariablesResolver} defaultColorScheme="auto">
    <Notifications />
    <BrowserRouter>
      <GalleryPage />
    </BrowserRouter>
  </MantineProvider>,
);
