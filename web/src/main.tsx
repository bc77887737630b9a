import '@mantine/core/styles.css';
import './app/global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app';
import { announcePageNonce } from './app/page-nonce';

announcePageNonce();

const container = document.getElementById('root');
if (container === null) throw new Error('index.html has no element with the id root');

createRoot(container).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
