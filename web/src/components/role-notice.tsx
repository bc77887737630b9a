import { Alert } from '@mantine/core';

interface RoleNoticeProps {
  /** What it is about, where that is not the role. */
  title?: string;
  children: string;
}

/** Stands where something is not offered, and says why. */
export function RoleNotice({ title = 'Not with your role', children }: RoleNoticeProps) {
  return (
    <Alert color="gray" title={title}>
      {children}
    </Alert>
  );
}
