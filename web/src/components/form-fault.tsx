import { Alert } from '@mantine/core';

/** What went wrong with a form as a whole, read out at once; nothing while `fault` is null. */
export function FormFault({ fault }: { fault: string | null }) {
  return (
    fault !== null && (
      <Alert color="red" role="alert">
        {fault}
      </Alert>
    )
  );
}
