import { ApolloClient, ApolloLink, InMemoryCache, Observable } from '@apollo/client';
import { ApolloProvider } from '@apollo/client/react';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { configure, render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { BrowserRouter, useLocation } from 'react-router';
import { theme } from '../app/theme';
import { findTabStorage } from '../lib/browser-storage';
import { FreshSecretsProvider } from '../lib/session/fresh-secrets';

// On a busy machine a part may take seconds to appear; one that never does is told as well.
configure({ asyncUtilTimeout: 10_000 });

// Another test is another tab: what was typed and not sent is kept.
afterEach(() => findTabStorage()?.clear());

/** What the server answers to an operation: its data, or errors as GraphQL has them; null: nothing yet. One that throws is lost. */
export type Answer = (variables: Readonly<Record<string, unknown>>) => {
  readonly data?: Record<string, unknown>;
  readonly errors?: readonly { readonly message: string; readonly extensions?: Record<string, unknown> }[];
} | null;

/** The same answer, whatever is asked. */
export const answer =
  <Result extends object>(result: Result) =>
  () =>
    result;

/** The answer is lost so many times, and arrives afterwards; the server has done what it was asked each time. */
export function answerLost(times: number, answer: Answer): Answer {
  let lostCount = 0;
  return (variables) => {
    if (lostCount === times) return answer(variables);
    lostCount += 1;
    throw new TypeError('Failed to fetch');
  };
}

/** One operation that the page asked for. */
export interface Asked {
  readonly name: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Shows a part of the dashboard at an address, with all that pages find around them; nothing but the server is made up.
 * @param answers By the name of the operation; one that has no answer fails.
 */
export function renderPage(shown: ReactNode, answers: Readonly<Record<string, Answer>> = {}, path = '/') {
  const address = { current: path };
  const page = renderRouted(
    <BrowserRouter>
      <Address onChange={(now) => Object.assign(address, { current: now })} />
      {shown}
    </BrowserRouter>,
    answers,
    path,
  );
  return { ...page, address };
}

/** The same of what has a router of its own. */
export function renderRouted(shown: ReactNode, answers: Readonly<Record<string, Answer>> = {}, path = '/') {
  const asked: Asked[] = [];
  const link = new ApolloLink(({ operationName, variables }) => {
    const name = operationName ?? '';
    asked.push({ name, variables });
    const answer = answers[name];
    return new Observable((observer) => {
      if (!answer) observer.error(new Error(`Nothing answers to ${name}.`));
      else {
        const given = answer(variables);
        if (given === null) return;
        observer.next(given as never);
        observer.complete();
      }
    });
  });
  const defaultOptions = { watchQuery: { fetchPolicy: 'cache-and-network' } } as const;
  const client = new ApolloClient({ link, cache: new InMemoryCache(), defaultOptions });
  window.history.replaceState(null, '', path);
  // Three hundred colours and sizes of the page, which jsdom would go through for each element that a test looks for.
  const noStyles = { withCssVariables: false, withGlobalClasses: false };
  render(
    <MantineProvider theme={theme} env="test" {...noStyles}>
      <Notifications />
      <ApolloProvider client={client}>
        <FreshSecretsProvider>{shown}</FreshSecretsProvider>
      </ApolloProvider>
    </MantineProvider>,
  );
  return { user: userEvent.setup(), asked };
}

function Address({ onChange }: { onChange: (address: string) => void }) {
  const { pathname, search } = useLocation();
  onChange(pathname + search);
  return null;
}
