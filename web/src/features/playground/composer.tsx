import { Button, CloseButton, FileButton, Group, Text, Textarea } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { IconPhotoPlus, IconPlayerStopFilled, IconSend } from '../../components/icons';
import { isEnter } from '../../lib/forms/is-enter';
import { ChatError } from '../../lib/playground/ask-model';
import { picturesMax, pictureTypes, readPicture } from '../../lib/playground/read-picture';
import classes from './playground.module.css';
import type { Question } from './use-chat';

interface ComposerProps {
  /** What is written and not sent yet. */
  draft: string;
  onDraft: (draft: string) => void;
  isBusy: boolean;
  isPossible: boolean;
  /** Whether all models that are asked take images. */
  takesImages: boolean;
  onAsk: (question: Question) => Promise<void>;
  onStop: () => void;
  hint: ReactNode;
  /** Says what the question would cost at most. */
  worstCase: ReactNode;
}

/** Where the question is written. Enter sends, Shift+Enter makes a line. */
export function Composer({
  draft,
  onDraft,
  isBusy,
  isPossible,
  takesImages,
  onAsk,
  onStop,
  hint,
  worstCase,
}: ComposerProps) {
  const [images, setImages] = useState<readonly string[]>([]);
  const [fault, setFault] = useState<string | null>(null);
  const canSend = draft.trim() !== '' && !isBusy && isPossible;

  async function send() {
    if (!canSend) return;
    const content = draft.trim();
    setFault(null);
    onDraft('');
    setImages([]);
    try {
      await onAsk({ content, images });
    } catch (error) {
      onDraft(content);
      setImages(images);
      setFault(error instanceof ChatError ? error.message : 'The message was not sent. Try again.');
    }
  }

  async function attach(files: readonly File[]) {
    setFault(null);
    try {
      const read = await Promise.all(files.slice(0, picturesMax - images.length).map(readPicture));
      setImages([...images, ...read].slice(0, picturesMax));
    } catch (error) {
      setFault(error instanceof Error ? error.message : 'The image cannot be read.');
    }
  }

  function sendOnEnter(event: KeyboardEvent) {
    if (!isEnter(event) || event.shiftKey) return;
    event.preventDefault();
    void send();
  }

  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Textarea
        name="message"
        aria-label="Your message"
        placeholder="Ask the model something …"
        autosize
        minRows={2}
        maxRows={12}
        value={draft}
        onChange={(event) => onDraft(event.currentTarget.value)}
        onKeyDown={sendOnEnter}
        error={fault}
      />
      <Pictures images={images} onChange={setImages} />
      <div className={classes.foot}>
        <div>
          {hint}
          <Text size="xs" c="dimmed" visibleFrom="sm">
            Shift + Enter for a new line.
          </Text>
        </div>
        <Group gap={8} justify="flex-end" className={classes.send}>
          {worstCase}
          {takesImages && <AttachButton isFull={images.length >= picturesMax} onFiles={attach} />}
          {isBusy ? (
            <Button
              color="red.8"
              variant="filled"
              leftSection={<IconPlayerStopFilled size={16} aria-hidden />}
              onClick={onStop}
            >
              Stop
            </Button>
          ) : (
            <Button type="submit" leftSection={<IconSend size={16} aria-hidden />} disabled={!canSend}>
              Send
            </Button>
          )}
        </Group>
      </div>
    </form>
  );
}

interface AttachButtonProps {
  isFull: boolean;
  onFiles: (files: readonly File[]) => Promise<void>;
}

function AttachButton({ isFull, onFiles }: AttachButtonProps) {
  const reset = useRef<() => void>(null);
  return (
    <FileButton
      multiple
      resetRef={reset}
      accept={pictureTypes.join()}
      onChange={(files) => {
        // The same file may be chosen again after it was taken away.
        void onFiles(files).finally(() => reset.current?.());
      }}
    >
      {(props) => (
        <Button
          {...props}
          variant="default"
          classNames={{ section: classes.attachIcon, label: classes.attachWord }}
          leftSection={<IconPhotoPlus size={16} aria-hidden />}
          disabled={isFull}
          title={isFull ? `A message can have up to ${picturesMax} images.` : undefined}
        >
          Image
        </Button>
      )}
    </FileButton>
  );
}

interface PicturesProps {
  images: readonly string[];
  onChange: (images: readonly string[]) => void;
}

function Pictures({ images, onChange }: PicturesProps) {
  if (images.length === 0) return null;
  return (
    <div className={classes.pictures}>
      {images.map((url, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two of them may be the same picture
        <div key={index} className={classes.picture}>
          <img src={url} alt={`${index + 1} to be sent`} />
          <CloseButton
            variant="default"
            size="sm"
            aria-label={`Remove image ${index + 1}`}
            onClick={() => onChange(images.filter((_, at) => at !== index))}
          />
        </div>
      ))}
    </div>
  );
}
