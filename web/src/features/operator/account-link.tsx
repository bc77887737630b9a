import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { paths } from '../../app/paths';

/** The way to an account's page in the console; without words of its own it shows the account's id. */
export function AccountLink({ id, children = id }: { id: string; children?: ReactNode }) {
  return (
    <Anchor component={Link} to={paths.operatorAccount(id)} inherit underline="always" className="lone-link">
      {children}
    </Anchor>
  );
}
