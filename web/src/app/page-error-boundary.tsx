import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { Component, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import { FullPageMessage } from '../components/full-page-message';

/** Catches a page that breaks, or whose code cannot be fetched; another page works again. */
export function PageErrorBoundary({ children }: { children: ReactNode }) {
  const { pathname } = useLocation();
  return <Boundary key={pathname}>{children}</Boundary>;
}

class Boundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? <BrokenPage /> : this.props.children;
  }
}

function BrokenPage() {
  return (
    <FullPageMessage
      title="This page broke"
      action={
        <Button leftSection={<IconRefresh size={16} aria-hidden />} onClick={() => window.location.reload()}>
          Reload the page
        </Button>
      }
    >
      Nothing was charged. Reload the page; after an update of the server that is all it takes.
    </FullPageMessage>
  );
}
