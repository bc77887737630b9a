import { Modal, Stack, Tabs, Text } from '@mantine/core';
import { CodeBlock } from '../../components/code-block';
import { messagesFor } from '../../lib/playground/answer-groups';
import type { ChatSettings } from '../../lib/playground/chat-body';
import type { Turn } from '../../lib/playground/turn';
import { chatCode } from './chat-code';

interface ViewCodeProps {
  settings: ChatSettings;
  messages: readonly Turn[];
  baseUrl: string;
  onClose: () => void;
}

/** The conversation as a program would ask it. */
export default function ViewCode({ settings, messages, baseUrl, onClose }: ViewCodeProps) {
  const asked = messagesFor(settings.model, messages).map(withoutPictures);
  return (
    <Modal opened onClose={onClose} title="The same call in your program" size="xl">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          With your current settings. Replace YOUR_KEY with your key.
        </Text>
        <Tabs defaultValue="curl" keepMounted={false}>
          <Tabs.List mb="sm" aria-label="Language of the code">
            {chatCode(settings, asked, baseUrl).map(({ language }) => (
              <Tabs.Tab key={language} value={language}>
                {language}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {chatCode(settings, asked, baseUrl).map(({ language, code }) => (
            <Tabs.Panel key={language} value={language}>
              <CodeBlock code={code} what={`${language} code`} />
            </Tabs.Panel>
          ))}
        </Tabs>
      </Stack>
    </Modal>
  );
}

// Pictures of this page are long, and a program has its own.
function withoutPictures({ images, ...message }: ReturnType<typeof messagesFor>[number]) {
  return images ? { ...message, images: images.map(() => 'https://example.com/your-image.jpg') } : message;
}
