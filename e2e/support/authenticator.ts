import type { BrowserContext, CDPSession, Page } from '@playwright/test';

/** Chromium's own stand-in for a fingerprint reader, for one page. */
export interface VirtualAuthenticator {
  /** Whether a person is there who shows a finger; else everything is cancelled. */
  verified(isThere: boolean): Promise<void>;
  /** Whether it answers at all, as when it is plugged in and touched. */
  present(isThere: boolean): Promise<void>;
  /** Sets what its one passkey has counted. */
  countTo(signCount: number): Promise<void>;
  /** Gives another page the same passkeys. */
  copyTo(page: Page): Promise<void>;
}

const options = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

/** Gives a page an authenticator that holds nothing yet; `usb`: one more beside that of the machine. */
export async function virtualAuthenticator(
  page: Page,
  transport: 'internal' | 'usb' = 'internal',
): Promise<VirtualAuthenticator> {
  const session = await sessionOf(page.context(), page);
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, transport },
  });
  const credentials = async () =>
    (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
  return {
    verified: async (isUserVerified) => {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    },
    present: async (enabled) => {
      await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
    },
    countTo: async (signCount) => {
      const [credential] = await credentials();
      if (credential === undefined) throw new Error('There is no passkey yet.');
      const { credentialId } = credential;
      await session.send('WebAuthn.removeCredential', { authenticatorId, credentialId });
      await session.send('WebAuthn.addCredential', {
        authenticatorId,
        credential: { ...credential, signCount },
      });
    },
    copyTo: async (other) => {
      const moved = await sessionOf(other.context(), other);
      const made = await moved.send('WebAuthn.addVirtualAuthenticator', { options });
      for (const credential of await credentials())
        await moved.send('WebAuthn.addCredential', {
          authenticatorId: made.authenticatorId,
          credential,
        });
    },
  };
}

async function sessionOf(context: BrowserContext, page: Page): Promise<CDPSession> {
  const session = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  return session;
}
