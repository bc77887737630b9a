import type { Page } from 'playwright-core';

/** An authenticator of this browser that verifies its user at once. */
export async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const verifying = { hasResidentKey: true, hasUserVerification: true, isUserVerified: true };
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', automaticPresenceSimulation: true, ...verifying },
  });
}
