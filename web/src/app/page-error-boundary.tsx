import { Button } from '@mantine/core';
import { Component, type ReactNode, useEffect } from 'react';
import { useLocation } from 'react-router';
import { RetryButton } from '../components/buttons/retry-button';
import { FullPageMessage } from '../components/full-page-message';
import { IconRefresh } from '../components/icons';
import { CodeMissingError } from '../lib/load-in-the-end';
import { forgetMissingCode } from './lazy-page';
import { tellPageFault } from './tell-page-fault';

interface PageErrorBoundaryProps {
  children: ReactNode;
  /** Whether the page stands in the frame, which stays where it is. */
  isFramed?: boolean;
}

/** Catches a page that breaks, or whose code cannot be fetched; another page works again. */
export function PageErrorBoundary(props: PageErrorBoundaryProps) {
  const { pathname } = useLocation();
  return <Boundary key={pathname} {...props} />;
}

class Boundary extends Component<PageErrorBoundaryProps, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidCatch(error: unknown) {
    // Without a connection there is nothing to mend here, and nobody to tell.
    if (!(error instanceof CodeMissingError)) tellPageFault(error);
  }

  override componentWillUnmount() {
    if (this.state.error !== null) forgetMissingCode();
  }

  readonly #retry = () => {
    forgetMissingCode();
    this.setState({ error: null });
  };

  override render() {
    const { error } = this.state;
    const { children, isFramed = false } = this.props;
    if (error === null) return children;
    if (!(error instanceof CodeMissingError)) return <BrokenPage isFramed={isFramed} />;
    return <MissingPage isFramed={isFramed} onRetry={this.#retry} />;
  }
}

function BrokenPage({ isFramed }: { isFramed: boolean }) {
  return (
    <FullPageMessage
      isFramed={isFramed}
      title="Something went wrong on this page"
      action={
        <Button leftSection={<IconRefresh size={16} aria-hidden />} onClick={() => window.location.reload()}>
          Reload the page
        </Button>
      }
    >
      We have recorded the error. Reload the page. After a server update, that is usually all it takes.
    </FullPageMessage>
  );
}

/** The page was never opened on this browser and cannot be fetched now. It comes by itself when the connection is back. */
function MissingPage({ isFramed, onRetry }: { isFramed: boolean; onRetry: () => void }) {
  useEffect(() => {
    window.addEventListener('online', onRetry);
    return () => window.removeEventListener('online', onRetry);
  }, [onRetry]);
  return (
    <FullPageMessage
      isFramed={isFramed}
      title="This page could not be loaded"
      action={
        // Online, the server may have another release by now, whose page names other files.
        <RetryButton onRetry={() => (navigator.onLine ? window.location.reload() : onRetry())} />
      }
    >
      {navigator.onLine
        ? 'The server did not send it. It may be restarting.'
        : 'You are offline. The page opens when you are back online.'}
    </FullPageMessage>
  );
}
