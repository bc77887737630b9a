import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { Component, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import { FullPageMessage } from '../components/full-page-message';

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

class Boundary extends Component<PageErrorBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? <BrokenPage isFramed={this.props.isFramed ?? false} /> : this.props.children;
  }
}

function BrokenPage({ isFramed }: { isFramed: boolean }) {
  return (
    <FullPageMessage
      isFramed={isFramed}
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
