import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { contentSecurityPolicy } from '../../../app/host/page-files.ts';
import { blockedSchemes } from '../../../app/electron/lock-down.ts';
import { refusedPermissions } from '../../../app/electron/lock-down.ts';
import { places } from '../../../app/electron/windows.ts';
import { queuedAsk } from '../../support/queued-ask.ts';
import { FakeContents } from './support/fake-window.ts';
import { startFake } from './support/start.ts';
import type { FakeShell } from './support/start.ts';

let fake: FakeShell;
afterEach(() => fake.end());

const preventable = () => {
  const event = { prevented: false, preventDefault: () => void (event.prevented = true) };
  return event;
};

describe('every window of the app', () => {
  it.each([
    ['contextIsolation', true],
    ['sandbox', true],
    ['nodeIntegration', false],
    ['nodeIntegrationInWorker', false],
    ['nodeIntegrationInSubFrames', false],
    ['webSecurity', true],
    ['allowRunningInsecureContent', false],
    ['experimentalFeatures', false],
    ['webviewTag', false],
    ['navigateOnDragDrop', false],
    ['spellcheck', false],
    ['devTools', false],
    ['preload', '/app/preload.cjs'],
  ])('has %s set to %s in a release', async (preference, value) => {
    fake = await startFake();
    fake.host.ask(queuedAsk());
    expect(fake.windows).toHaveLength(2);
    for (const { options } of fake.windows) {
      expect(options.webPreferences).toHaveProperty(preference, value);
      expect(options.webPreferences['session']).toBe(fake.session);
    }
  });

  it('opens the developer tools in a build from source only', async () => {
    fake = await startFake({ before: ({ app }) => void (app.isPackaged = false) });
    expect(fake.windows[0]?.options.webPreferences['devTools']).toBe(true);
  });

  it('shows the page of our own scheme and nothing else', async () => {
    fake = await startFake();
    fake.host.ask(queuedAsk());
    const urls = fake.windows.flatMap((window) => window.urls);
    expect(urls).toEqual([
      `app://interlock/#${places.asks}`,
      `app://interlock/#${places.ask('ask-1')}`,
    ]);
  });

  it('does nothing but come to the front with the click that focuses it', async () => {
    fake = await startFake();
    expect(fake.windows[0]?.options['acceptFirstMouse']).toBe(false);
  });
});

describe('web contents, whoever made them', () => {
  it.each(['will-navigate', 'will-redirect', 'will-frame-navigate', 'will-attach-webview'])(
    'are kept from %s',
    async (name) => {
      fake = await startFake();
      const contents = new FakeContents();
      fake.app.emit('web-contents-created', {}, contents);
      const event = preventable();
      contents.emit(name, event, 'https://example.com/');
      expect(event.prevented).toBe(true);
    },
  );

  it('open no window', async () => {
    fake = await startFake();
    const contents = new FakeContents();
    fake.app.emit('web-contents-created', {}, contents);
    expect(contents.windowOpen?.({ url: 'https://example.com/' })).toEqual({ action: 'deny' });
  });

  it('are trusted with no bad certificate, client certificate or password', async () => {
    fake = await startFake();
    const event = preventable();
    let trusted: boolean | null = null;
    fake.app.emit('certificate-error', event, null, '', '', null, (yes: boolean) => {
      trusted = yes;
    });
    expect(trusted).toBe(false);
    for (const name of ['select-client-certificate', 'login']) {
      const other = preventable();
      fake.app.emit(name, other);
      expect(other.prevented).toBe(true);
    }
  });
});

describe('the session of the page', () => {
  it.each([...Object.keys(refusedPermissions), 'one-that-is-invented-tomorrow'])(
    'refuses the permission %s, asked or checked',
    async (permission) => {
      fake = await startFake();
      let granted: boolean | null = null;
      fake.session.permissionRequest?.(null, permission, (yes) => {
        granted = yes;
      });
      expect(granted).toBe(false);
      expect(fake.session.permissionCheck?.(null, permission)).toBe(false);
    },
  );

  it('hands out no device and no screen', async () => {
    fake = await startFake();
    expect(fake.session.devicePermission?.()).toBe(false);
    let streams: object | null = null;
    fake.session.displayMedia?.(null, (given) => {
      streams = given;
    });
    expect(streams).toEqual({});
  });

  it.each([...blockedSchemes, 'data', 'blob', 'devtools', 'chrome-extension'])(
    'blocks %s',
    async (scheme) => {
      fake = await startFake();
      expect(fake.session.blocks(`${scheme}://example.com/x`)).toBe(true);
    },
  );

  it.each([
    ['app://interlock/assets/app.js', false],
    ['app://interlock.example/assets/app.js', true],
    ['app://other/assets/app.js', true],
  ])('for %s blocks: %s', async (url, blocked) => {
    fake = await startFake();
    expect(fake.session.blocks(url)).toBe(blocked);
  });

  it('checks no spelling and saves no download', async () => {
    fake = await startFake();
    expect(fake.session.spellChecker).toBe(false);
    const event = preventable();
    fake.session.emit('will-download', event);
    expect(event.prevented).toBe(true);
  });
});

describe('the scheme app://', () => {
  const get = async (url: string, method = 'GET') => {
    const handler = fake.session.schemes.get('app');
    if (handler === undefined) throw new Error('no handler');
    return handler(new Request(url, { method }));
  };

  it.each([
    ['app://interlock/', 200, 'text/html; charset=utf-8'],
    ['app://interlock/index.html', 200, 'text/html; charset=utf-8'],
    ['app://interlock/assets/app.js', 200, 'text/javascript; charset=utf-8'],
    ['app://interlock/assets/app.js?x=1', 200, 'text/javascript; charset=utf-8'],
    ['app://interlock/notes.txt', 404, null],
    ['app://interlock/../secret.json', 404, null],
    ['app://interlock/..%2fsecret.json', 404, null],
    ['app://interlock/assets/%2e%2e/%2e%2e/secret.json', 404, null],
    ['app://interlock//etc/passwd', 404, null],
    ['app://interlock/assets', 404, null],
    ['app://elsewhere/index.html', 404, null],
  ])('answers %s with %i', async (url, status, type) => {
    fake = await startFake();
    const response = await get(url);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-security-policy')).toBe(contentSecurityPolicy);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    if (type !== null) expect(response.headers.get('content-type')).toBe(type);
  });

  it('takes no other method than GET', async () => {
    fake = await startFake();
    expect((await get('app://interlock/index.html', 'POST')).status).toBe(404);
  });

  it('is registered before the app is ready, standard and secure, and cannot get around the CSP', async () => {
    fake = await startFake();
    expect(fake.app.log.indexOf('schemes')).toBeLessThan(fake.app.log.indexOf('ready'));
    expect(fake.electron.privileged).toEqual([
      {
        scheme: 'app',
        privileges: expect.objectContaining({ standard: true, secure: true, bypassCSP: false }),
      },
    ]);
  });
});

describe('the sources of the shell', () => {
  const source = async (path: string) =>
    readFile(new URL(`../../../app/electron/${path}`, import.meta.url), 'utf8');

  it('wire Electron in main.ts and never wait there for it to become ready', async () => {
    fake = await startFake();
    const main = await source('main.ts');
    expect(main).toContain("from 'electron'");
    // A top-level await here would keep Electron from ever becoming ready.
    expect(main).not.toMatch(/^(?:const .*= )?await /mu);
  });

  it('open nothing outside the app', async () => {
    fake = await startFake();
    const { readdir } = await import('node:fs/promises');
    const folder = new URL('../../../app/electron/', import.meta.url);
    const files = (await readdir(folder, { recursive: true })).filter((name) =>
      name.endsWith('.ts'),
    );
    expect(files.length).toBeGreaterThan(15);
    for (const file of files) {
      expect(await source(file), file).not.toMatch(
        /openExternal\(|openPath\(|loadFile\(|executeJavaScript/u,
      );
    }
  });
});
