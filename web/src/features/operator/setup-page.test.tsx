/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { answer, renderPage } from '../../test/render-page';
import { SetupPage } from './setup-page';

const mayNothing = () => false;

describe('SetupPage', () => {
  it('tells two findings of one step apart by their titles', async () => {
    const finding = (check: string, text: string) => ({
      ...{ __typename: 'OperatorSetupFinding', check, text, standing: 'OK', remedy: '' },
    });
    const findings = [finding('mail', 'smtp'), finding('disk', 'Settlements'), finding('disk', 'Database')];
    const setup = { __typename: 'OperatorSetup', publicUrl: 'http://here', isProduction: true, findings };
    const operator = { __typename: 'OperatorQuery', setup };
    renderPage(<SetupPage may={mayNothing} />, Object.fromEntries([['OperatorSetup', answer({ data: { operator } })]]));
    await screen.findByText('Disk (1 of 2)');
    screen.getByText('Disk (2 of 2)');
    screen.getByText('Mail');
  });
});
