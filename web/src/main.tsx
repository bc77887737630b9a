import './app/mantine.css';
import './app/global.css';
import './app/touch.css';
import './app/first-frame.css';
import { StrictMode, startTransition } from 'react';
import { App } from './app/app';
import { createRoot } from './app/create-root';
import { announcePageNonce } from './app/page-nonce';
import { fetchPageAt, fetchPagesWhenIdle } from './app/pages';
import { printInLight } from './app/print-in-light';
import { findLocalStorage } from './lib/browser-storage';
import { prepareTimes } from './lib/format/format-time';
import { giveViewsToOwner } from './lib/reports/saved-views';
import { isKnownVisitor } from './lib/session/known-visitor';
import { forgetEndedSession } from './lib/session/session-end';
import { findOwnerOfBrowser } from './lib/session/session-owner';

announcePageNonce();
giveViewsToOwner(findLocalStorage(), findOwnerOfBrowser());
forgetEndedSession();
printInLight();

const container = document.getElementById('root');
if (container === null) throw new Error('index.html has no element with the id root');

/** Whoever waits longer for the code of the page is shown its grey outline meanwhile. */
const outlineAfterMs = 400;

// What comes after the frame in `index.html` is the page itself where that can be, rather than one more grey outline.
const outlineIsDue = new Promise((resolve) => setTimeout(resolve, outlineAfterMs));
const root = createRoot(container);
// As a transition it is drawn in pieces, between which the browser answers to its reader.
void Promise.race([fetchPageAt(window.location.pathname), outlineIsDue]).then(() =>
  startTransition(() =>
    root.render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  ),
);
fetchPagesWhenIdle();
// In a task of its own, while the page's code and answers are on their way; few pages for strangers have a time.
if (isKnownVisitor()) setTimeout(prepareTimes);
