import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { paths, proxyBaseUrl } from '../../app/paths';
import { SnippetTabs } from '../../components/code/snippet-tabs';
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
          Put your key where it says {secretPlaceholder}. Other clients and all that a program may rely on are in the{' '}
          <Anchor component={Link} to={paths.docs()} inherit underline="always">
            docs
          </Anchor>
          .
        </>
      }
    >
      <SnippetTabs snippets={snippets} />
    </SectionCard>
  );
}
