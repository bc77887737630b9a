import { createHash } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { isLoopbackHost } from '../kernel/addresses/loopback.js';
import { AppError } from '../kernel/app-error.js';
import { escapeHtml } from '../kernel/texts/escape-html.js';

/** A mail that would have been sent. */
interface KeptMail {
  readonly to: string;
  readonly title: string;
  readonly text: string;
  readonly atMs: number;
}

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}article{border-top:1px solid #8888;padding:1rem 0}p{white-space:pre-wrap;overflow-wrap:anywhere}dl{display:grid;grid-template-columns:auto 1fr;gap:0 1rem}dd{margin:0;overflow-wrap:anywhere}';
const styleHash = createHash('sha256').update(style).digest('base64');
const headers = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/**
 * `GET /mailbox`: what would have been mailed, where a developer has no mail server. It shows secret links, so it is there for
 * a browser on this machine alone, which has asked for this machine by name; in production, and wherever others reach the server,
 * there is nothing here.
 * @param mailbox null: there is none.
 */
export function createMailboxRoute(mailbox: { list(): readonly KeptMail[] } | null) {
  return (request: Request, response: Response, next: NextFunction): void => {
    if (mailbox === null || !isFromHere(request)) {
      next(new AppError('unknown_url', 'There is nothing at this address.'));
      return;
    }
    response.set(headers).type('html').send(writePage(mailbox.list()));
  };
}

// The name as well, since a page of somebody else may have its own name lead here.
function isFromHere({ socket, headers: sent }: Request): boolean {
  const host = `http://${sent.host ?? ''}`;
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  return isLoopbackHost(address) && URL.canParse(host) && isLoopbackHost(new URL(host).hostname);
}

function writePage(mails: readonly KeptMail[]): string {
  const list =
    mails.length === 0 ? '<p>No mail yet. It comes here within ten seconds.</p>' : mails.map(writeMail).join('');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Mailbox · Tollgate</title><style>${style}</style></head>
<body><main><h1>Mailbox</h1><p>What this server would have mailed since it started, the newest first. There is no such page in production.</p>${list}</main></body></html>
`;
}

function writeMail({ to, title, text, atMs }: KeptMail): string {
  const at = new Date(atMs).toISOString();
  return `<article><h2>${escapeHtml(title)}</h2><dl><dt>To</dt><dd>${escapeHtml(to)}</dd><dt>At</dt><dd><time datetime="${at}">${at}</time></dd></dl><p>${linkAddresses(escapeHtml(text))}</p></article>`;
}

function linkAddresses(escaped: string): string {
  return escaped.replace(/https?:\/\/[^\s<>"']+/g, (address) => `<a href="${address}">${address}</a>`);
}
