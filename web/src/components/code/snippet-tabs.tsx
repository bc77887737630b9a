import { Tabs, Text } from '@mantine/core';
import type { Snippet } from '../../lib/quickstart-snippets';
import { CodeBlock } from './code-block';

/** The same call in several languages, one at a time; the first language is shown. */
export function SnippetTabs({ snippets }: { readonly snippets: readonly Snippet[] }) {
  return (
    <Tabs defaultValue={snippets[0]?.language ?? null} keepMounted={false}>
      <Tabs.List mb="sm" aria-label="Language of the snippet">
        {snippets.map(({ language }) => (
          <Tabs.Tab key={language} value={language}>
            {language}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ language, hint, code }) => (
        <Tabs.Panel key={language} value={language}>
          <CodeBlock code={code} what={`${language} snippet`} />
          <Text size="sm" c="dimmed" mt="xs">
            {hint}
          </Text>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
