import { Alert } from '@mantine/core';

/** Stands where something is not offered, and says why. */
export function RoleNotice({ children }: { children: string }) {
  return (
    <Alert color="gray" title="Not with your role">
      {children}
    </Alert>
  );
}
