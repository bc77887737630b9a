import { request } from 'node:http';
import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';

const local = { PUBLIC_URL: 'http://localhost:8080' };

/** Asks for the mailbox as a browser that was led here by this name. */
async function readMailbox(app: TestApp, host: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { host, accept: 'text/html' };
    request(`${app.baseUrl}/mailbox`, { headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (piece) => {
        body += piece;
      });
      response.on('end', () => resolve({ status: Number(response.statusCode), body }));
    })
      .on('error', reject)
      .end();
  });
}

describeOnEachDatabase('The mailbox of a developer', (openTestDatabase) => {
  it('shows the link that would have been mailed, which the log does not, and the page takes no markup of others', async () => {
    const app = await TestApp.start(await openTestDatabase(), local);
    const input = { email: 'ada&co@example.com', password: 'a long enough password', name: 'Ada' };
    await app.graphql('mutation ($input: SignUpInput!) { signUp(input: $input) { sessionToken } }', { input });
    // Those who sign in look for their mails there.
    expect(await app.graphql('{ mailboxPath }')).toEqual({ mailboxPath: '/mailbox' });
    const asked = { input: { email: input.email } };
    const request = 'mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }';
    expect(await app.graphql(request, asked)).toEqual({ requestPasswordReset: true });
    let page = { status: 0, body: '' };
    await eventually(async () => {
      page = await readMailbox(app, 'localhost:8080');
      expect(page.status).toBe(200);
      return page.body.includes('Choose a new password');
    }, 50);
    expect(page.body).toContain('ada&amp;co@example.com');
    const [link, token] = /http:\/\/localhost:8080\/reset-password#(tgl_[\w-]{43})/.exec(page.body) ?? [];
    expect(page.body).toContain(`<a href="${link}">`);
    expect(app.logLines.join('')).toContain('npm run tollgate -- password-reset-link');
    expect(app.logLines.join('')).not.toContain('tgl_');
    const reset = 'mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) }';
    expect(await app.graphql(reset, { input: { token, newPassword: 'another long password' } })).toEqual({
      resetPassword: true,
    });
    for (const host of ['tollgate.attacker.example', '192.0.2.7:8080']) {
      expect((await readMailbox(app, host)).status).toBe(404);
    }
    await app.close();
  }, 60_000);

  it.each([
    ['in production', { ...local, NODE_ENV: 'production' }],
    ['at a public address', { PUBLIC_URL: 'http://tollgate.test' }],
    ['behind a proxy', { ...local, TRUST_PROXY: '1' }],
    ['where mails are sent', { ...local, SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'no-reply@tollgate.test' }],
  ])('is not there %s, and nobody is led to it', async (_, settings) => {
    const app = await TestApp.start(await openTestDatabase(), settings);
    expect((await readMailbox(app, 'localhost:8080')).status).toBe(404);
    expect(await app.graphql('{ mailboxPath }')).toEqual({ mailboxPath: null });
    await app.close();
  });
});
