import { Container, Stack } from '@mantine/core';
import { ColorSchemeToggle } from '../components/color-scheme-toggle';
import { PageHeader } from '../components/page-header';
import { SectionCard } from '../components/section-card';
import { chartSamples } from './chart-samples';
import { choiceSamples } from './choice-samples';
import { textSamples } from './text-samples';

/** Every component that pages share, with made-up data, in either colour scheme and at any width. */
export function GalleryPage() {
  return (
    <Container component="main" size="lg" py="xl">
      <PageHeader
        title="Components"
        description="What pages share. A card has the name of its file in web/src/components."
        actions={<ColorSchemeToggle />}
      />
      <Stack gap="lg">
        {[...textSamples, ...choiceSamples, ...chartSamples].map(({ file, shown }) => (
          <SectionCard key={file} title={file}>
            {shown}
          </SectionCard>
        ))}
      </Stack>
    </Container>
  );
}
