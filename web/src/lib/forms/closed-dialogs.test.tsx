/** @jest-environment jsdom */
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { type ReactNode, useState } from 'react';
import KeyFormModal from '../../features/keys/key-form-modal';
import type { ApiKey } from '../../features/keys/keys-document';
import type { Member } from '../../features/members/members-document';
import { SetBudget } from '../../features/members/set-budget';
import { ActDialog } from '../../features/operator/act-dialog';
import { PromptLibrary } from '../../features/playground/prompt-library';
import { EndpointForm } from '../../features/webhooks/endpoint-form';
import type { Endpoint } from '../../features/webhooks/webhooks-document';
import { renderPage } from '../../test/render-page';
import { findLocalStorage } from '../browser-storage';
import { keepInList } from '../kept-list';
import { promptsOf } from '../playground/prompt-library';

const apiKey = {
  ...{ __typename: 'ApiKey', id: 'key_1', name: 'Laptop', scopes: ['CHAT'], models: null, providers: null },
  ...{ spendLimit: 1_000, spendPeriod: 'MONTH', addresses: null, requestsPerMinute: null, tokensPerMinute: null },
  expiresAt: null,
} as unknown as ApiKey;
const endpoint = {
  ...{ __typename: 'WebhookEndpoint', id: 'hook_1', name: 'Pager', url: 'https://example.com/pager' },
  ...{ secret: 'tgwh_of_the_pager', events: ['BALANCE_LOW'], isOn: true },
} as Endpoint;
const member = { personId: 'per_1', name: 'Ada', email: 'ada@x.example', monthlyBudget: 7 } as unknown as Member;
const act = {
  ...{ label: 'Set the weight', words: 'For calls.', keptAs: 'weight', run: async () => null },
  fields: [{ name: 'weight', label: 'Weight', initial: '1' }],
};

interface FormInDialog {
  readonly shown: (onClose: () => void) => ReactNode;
  readonly field: RegExp;
}

const forms: readonly (readonly [name: string, form: FormInDialog])[] = [
  ['a new key', { shown: (onClose) => <KeyFormModal apiKey={null} isOpen onClose={onClose} />, field: /^Name/ }],
  ['a key', { shown: (onClose) => <KeyFormModal apiKey={apiKey} isOpen onClose={onClose} />, field: /^Name/ }],
  ['a new endpoint', { shown: (onClose) => <EndpointForm endpoint={null} onClose={onClose} />, field: /^Name/ }],
  ['an endpoint', { shown: (onClose) => <EndpointForm endpoint={endpoint} onClose={onClose} />, field: /^Name/ }],
  ['a budget', { shown: (onClose) => <SetBudget member={member} onClose={onClose} />, field: /^Monthly budget/ }],
  ['an act of an operator', { shown: (onClose) => <ActDialog act={act} onClose={onClose} />, field: /^Weight/ }],
];

function Opened({ shown }: Pick<FormInDialog, 'shown'>) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        Open
      </button>
      {isOpen && shown(() => setIsOpen(false))}
    </>
  );
}

const answers = {
  KeyChoices: () => ({ data: { models: [] } }),
  ListOwner: () => ({
    data: { viewer: { __typename: 'Account', id: 'acc_1' }, person: { __typename: 'Person', id: 'per_1' } },
  }),
  Role: () => ({ data: { viewer: { __typename: 'Account', id: 'acc_1', role: 'OWNER' } } }),
  SavedItems: () => ({ data: { savedItems: [] } }),
};
const ways: readonly (readonly [name: string, close: () => void])[] = [
  ['Escape', () => fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' })],
  ['its cross', () => fireEvent.click(document.querySelector('.mantine-Modal-close') as Element)],
];
const table = forms.flatMap(([name, form]) => ways.map(([way, close]) => [name, way, form, close] as const));
const gone = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());

describe('A form in a dialog', () => {
  it.each(table)(
    'of %s that was closed by %s is opened as if nothing had been typed',
    async (_name, _way, form, close) => {
      const { user } = renderPage(<Opened shown={form.shown} />, answers);
      const open = async () => {
        await user.click(screen.getByRole('button', { name: 'Open' }));
        return screen.findByRole<HTMLInputElement>('textbox', { name: form.field });
      };
      const first = await open();
      const stored = first.value;
      await user.type(first, '5');
      expect(first.value).not.toBe(stored);
      close();
      await gone();
      expect((await open()).value).toBe(stored);
      expect(screen.queryByText(/^Your unsaved changes/)).toBeNull();
    },
  );

  it.each(ways)('of the variables of a prompt that was closed by %s is opened empty', async (_way, close) => {
    const prompt = { name: 'About', system: '', question: 'Tell me of {{topic}}.' };
    keepInList(findLocalStorage(), promptsOf('per_1 acc_1'), prompt);
    const { user } = renderPage(<PromptLibrary current={prompt} onUse={() => undefined} />, answers);
    const open = async () => {
      await user.click(screen.getByRole('button', { name: 'Prompts' }));
      await user.click(await screen.findByRole('button', { name: 'About' }));
      return screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'topic' });
    };
    await user.type(await open(), 'Tolls');
    close();
    await waitFor(() => expect(screen.queryByRole('textbox', { name: 'topic' })).toBeNull());
    expect((await open()).value).toBe('');
  });
});
