import { Anchor, Tabs, Text } from '@mantine/core';
import { Link } from 'react-router';
import { paths, proxyBaseUrl } from '../../app/paths';
import { CodeBlock } from '../../components/code-block';
import { SectionCard } from '../../components/section-card';
import { quickstartSnippets, secretPlaceholder } from '../../lib/quickstart-snippets';
import { embeddingSnippets } from './embedding-snippets';
import type { Model } from './models-document';

/** The first call of this model in three languages. */
export function ModelCode({ model: { id, endpoint } }: { model: Model }) {
  const facts = { baseUrl: proxyBaseUrl(), secret: secretPlaceholder, model: id };
  const snippets = endpoint === 'CHAT' ? quickstartSnippets(facts) : embeddingSnippets(facts);
  return (
    <SectionCard
      title="How to call it"
      description={
        <>
          Replace {secretPlaceholder} with your key. Other clients, errors and guarantees are in the{' '}
          <Anchor component={Link} to={paths.docs()} inherit underline="always">
            docs
          </Anchor>
          .
        </>
      }
    >
      <Tabs defaultValue="curl" keepMounted={false}>
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
    </SectionCard>
  );
}
