import { useQuery } from '@apollo/client/react';
import { useDocumentTitle } from '@mantine/hooks';
import { useState } from 'react';
import { Link } from 'react-router';
import { paths, proxyBaseUrl, serverPaths } from '../../app/paths';
import { CodeBlock } from '../../components/code-block';
import { ColorSchemeToggle } from '../../components/color-scheme-toggle';
import { LinkButton } from '../../components/link-button';
import { Logo } from '../../components/logo';
import { PublicPages } from '../../components/public-pages';
import { SampleReceipt } from '../../components/sample-receipt';
import { graphql } from '../../gql';
import { chooseSnippetModel, quickstartSnippets } from '../../lib/quickstart-snippets';
import classes from './landing.module.css';
import { Prices } from './prices';

const LandingDocument = graphql(`
  query Landing {
    models {
      id
      tier
      creditsPerThousandTokens
      isDemo
    }
    creditPacks {
      id
      dollars
      credits
    }
  }
`);

const promises = [
  {
    title: 'Never below zero',
    words:
      'Credits are bought in advance, and a call starts only if your balance covers the most it could cost. There is never a surprise bill.',
  },
  {
    title: 'Exact to the token',
    words:
      'One token is exactly 0.001 or 0.002 credits. Nothing is rounded, and every call has a receipt that adds up.',
  },
  {
    title: 'Failures are free',
    words:
      'A call that produced nothing costs nothing, and nobody is charged twice for one answer, however often it is retried.',
  },
];

/** What Tollgate is, for whoever is not signed in. */
export function LandingPage() {
  useDocumentTitle('Tollgate: one key for many AI models, billed to the token');
  const { data } = useQuery(LandingDocument, { fetchPolicy: 'cache-first' });
  return (
    <div className={classes.page}>
      <header className={classes.header}>
        <Logo />
        <PublicPages className={classes.pages} />
        <nav aria-label="Account" className={classes.tools}>
          <ColorSchemeToggle />
          <LinkButton to={paths.signIn()} variant="subtle">
            Sign in
          </LinkButton>
        </nav>
      </header>
      <main>
        <section className={classes.hero} aria-labelledby="claim">
          <div className={classes.stripes} aria-hidden="true" />
          <div className={classes.heroBody}>
            <div>
              <h1 id="claim">One key for many AI models, billed to the token.</h1>
              <p className={classes.lead}>
                Change only the base URL and the key of any OpenAI client. Prepaid credits, exact receipts, and a
                dashboard that shows where every credit went.
              </p>
              <div className={classes.actions}>
                <LinkButton to={paths.signUp()} variant="white" color="pine.7" size="md">
                  Create your account
                </LinkButton>
                <a href="#prices" className={classes.quietLink}>
                  See the prices
                </a>
              </div>
            </div>
            <SampleReceipt />
          </div>
        </section>
        <section className={classes.section} aria-label="What we promise">
          <ul className={classes.promises}>
            {promises.map(({ title, words }) => (
              <li key={title}>
                <h2>{title}</h2>
                <p>{words}</p>
              </li>
            ))}
          </ul>
        </section>
        <Quickstart model={chooseSnippetModel(data?.models ?? []) ?? 'gpt-4o-mini'} />
        <Prices models={data?.models ?? []} packs={data?.creditPacks ?? []} />
      </main>
      <footer className={classes.footer}>
        <span>Tollgate is open source under the MIT licence.</span>
        <Link to={paths.models()}>Models</Link>
        <Link to={paths.pricing()}>Pricing</Link>
        <Link to={paths.status()}>Status</Link>
        <Link to={paths.docs()}>Docs</Link>
        <a href={serverPaths.openapi()}>OpenAPI</a>
        <a href={serverPaths.schemaPage()}>GraphQL</a>
        <Link to={paths.signIn()}>Sign in</Link>
      </footer>
    </div>
  );
}

function Quickstart({ model }: { model: string }) {
  const snippets = quickstartSnippets({ baseUrl: proxyBaseUrl(), secret: 'YOUR_KEY', model });
  const [language, setLanguage] = useState<string>('curl');
  const snippet = snippets.find((one) => one.language === language);
  return (
    <section className={classes.section} aria-labelledby="quickstart">
      <div className={classes.split}>
        <div>
          <h2 id="quickstart" className={classes.heading}>
            Your first call in a minute
          </h2>
          <ol className={classes.steps}>
            <li>Sign up: e-mail, password, done.</li>
            <li>Create your key with one click.</li>
            <li>Buy credits, from 5 dollars.</li>
            <li>Run this.</li>
          </ol>
        </div>
        <div>
          <fieldset className={classes.languages} aria-label="Language of the snippet">
            {snippets.map((one) => (
              <button
                key={one.language}
                type="button"
                aria-pressed={one.language === language}
                onClick={() => setLanguage(one.language)}
              >
                {one.language}
              </button>
            ))}
          </fieldset>
          {snippet && <CodeBlock code={snippet.code} what={`${snippet.language} snippet`} />}
        </div>
      </div>
    </section>
  );
}
