import { Group, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';

interface PageHeaderProps {
  title: string;
  description?: ReactNode;
  /** Buttons at the right. */
  actions?: ReactNode;
}

/** The one first-level heading of a page; also names the browser tab. */
export function PageHeader({ title, description, actions }: PageHeaderProps) {
  useDocumentTitle(`${title} · Tollgate`);
  return (
    <Group justify="space-between" align="flex-end" gap="md" mb="lg">
      <div style={{ flex: '1 1 20rem' }}>
        <Title order={1}>{title}</Title>
        {description !== undefined && (
          <Text c="dimmed" mt={4} maw={640} style={{ textWrap: 'balance' }}>
            {description}
          </Text>
        )}
      </div>
      {actions}
    </Group>
  );
}
