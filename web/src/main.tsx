import './app/mantine.css';
import './app/global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app';
import { announcePageNonce } from './app/page-nonce';
import { fetchPageAt } from './app/pages';

announcePageNonce();

const container = document.getElementById('root');
if (container === null) throw new Error('index.html has no element with the id root');

// The first picture is the page itself, rather than a grey one that the page replaces.
void fetchPageAt(window.location.pathname).then(() =>
  createRoot(container).render(
    <StrictMode>
      <App />
    </StrictMode>,
  ),
);
