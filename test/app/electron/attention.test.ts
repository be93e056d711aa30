import { afterEach, describe, expect, it } from 'vitest';
import { promptBounds } from '../../../app/electron/windows.ts';
import { queuedAsk } from '../../support/queued-ask.ts';
import { startFake } from './support/start.ts';
import type { FakeShell } from './support/start.ts';

let fake: FakeShell;
const hidden = ['--hidden'];
const asks = (...ids: string[]) => ids.map((id) => queuedAsk({ id }));

describe('an ask', () => {
  afterEach(() => fake.end());

  it('shows the prompt without taking the keyboard', async () => {
    fake = await startFake({ argv: hidden });
    fake.host.ask(...asks('a'));
    const [prompt] = fake.windows;
    expect(prompt?.calls).toEqual(['showInactive']);
    expect(prompt?.options).toMatchObject({ show: false, alwaysOnTop: true, skipTaskbar: true });
    expect(prompt?.bounds).toEqual({ x: 948, y: 36, width: 480, height: 720 });
  });

  it('does not change a prompt that the person is reading', async () => {
    fake = await startFake({ argv: hidden });
    fake.host.ask(...asks('a'));
    fake.host.ask(...asks('a', 'b'));
    expect(fake.windows[0]?.urls).toEqual(['app://interlock/#/prompt/a']);
    expect(fake.windows[0]?.calls).toEqual(['showInactive']);
  });

  it('hides the prompt once nothing waits any more', async () => {
    fake = await startFake({ argv: hidden });
    fake.host.ask(...asks('a'));
    fake.host.ask();
    expect(fake.windows[0]?.visible).toBe(false);
  });

  it('that was put aside is not pushed at the person again; a new one is', async () => {
    fake = await startFake({ argv: hidden });
    fake.host.ask(...asks('a'));
    fake.windows[0]?.emit('close', { preventDefault: () => undefined });
    expect(fake.windows[0]?.visible).toBe(false);
    expect(fake.windows[0]?.destroyed).toBe(false);
    fake.host.push({ now: 5 });
    expect(fake.windows[0]?.visible).toBe(false);
    fake.host.ask(...asks('a', 'b'));
    expect(fake.windows[0]?.visible).toBe(true);
  });

  it('is not pushed at a person who has the window in front of them', async () => {
    fake = await startFake();
    fake.windows[0]?.emit('ready-to-show');
    fake.host.ask(...asks('a'));
    expect(fake.windows).toHaveLength(1);
    expect(fake.notifications).toEqual([]);
  });

  it('comes up over a window that shows something else', async () => {
    fake = await startFake({ settings: { version: 1, attention: 'both' } });
    const [main] = fake.windows;
    main?.emit('ready-to-show');
    if (main !== undefined) main.webContents.url = 'app://interlock/#/history';
    fake.host.ask(...asks('a'));
    expect(fake.windows[1]?.urls).toEqual(['app://interlock/#/prompt/a']);
    expect(fake.windows[1]?.calls).toEqual(['showInactive']);
    expect(fake.notifications).toHaveLength(1);
  });

  it.each([
    ['window', 1, 0],
    ['notification', 0, 1],
    ['both', 1, 1],
    ['tray', 0, 0],
  ])('with the setting %s: %i prompt, %i notification', async (attention, prompts, notes) => {
    fake = await startFake({ argv: hidden, settings: { version: 1, attention } });
    fake.host.ask(...asks('a'));
    expect(fake.windows).toHaveLength(prompts);
    expect(fake.notifications).toHaveLength(notes);
    expect(fake.tray().image.file).toContain('asking-1');
  });

  it('floats over every workspace and full screen on macOS', async () => {
    fake = await startFake({ argv: hidden, platform: 'darwin' });
    fake.host.ask(...asks('a'));
    expect(fake.windows[0]?.calls).toEqual([
      'setAlwaysOnTop true floating',
      'setVisibleOnAllWorkspaces true',
      'showInactive',
    ]);
  });
});

describe('the main window', () => {
  afterEach(() => fake.end());

  it('opens at a start by hand, and not at login', async () => {
    fake = await startFake();
    expect(fake.windows).toHaveLength(1);
    await fake.end();
    fake = await startFake({ argv: hidden });
    expect(fake.windows).toHaveLength(0);
  });

  it.each([
    [true, '#141618'],
    [false, '#f3f2ee'],
  ])('starts with the ground of the theme (dark: %s)', async (dark, ground) => {
    fake = await startFake({
      before: ({ nativeTheme }) => void (nativeTheme.shouldUseDarkColors = dark),
    });
    expect(fake.windows[0]?.options['backgroundColor']).toBe(ground);
  });

  it('says the state in its title, which the page cannot change', async () => {
    fake = await startFake();
    fake.host.ask(...asks('a', 'b'));
    expect(fake.windows[0]?.title).toBe('2 asks waiting');
    let prevented = false;
    fake.windows[0]?.emit('page-title-updated', { preventDefault: () => (prevented = true) });
    expect(prevented).toBe(true);
  });

  it('comes to the front as the person left it', async () => {
    fake = await startFake();
    const [window] = fake.windows;
    if (window !== undefined) window.webContents.url = 'app://interlock/#/history';
    fake.knock();
    expect(window?.urls).toHaveLength(1);
    expect(window?.focused).toBe(true);
  });

  it('is made anew after it was closed', async () => {
    fake = await startFake();
    fake.windows[0]?.emit('closed');
    fake.app.emit('activate');
    expect(fake.windows).toHaveLength(2);
  });
});

describe('the place of the prompt', () => {
  it.each([
    ['linux', { x: 0, y: 0, width: 1000, height: 800 }, { x: 508, y: 12, width: 480, height: 720 }],
    ['win32', { x: 0, y: 0, width: 1000, height: 800 }, { x: 508, y: 68, width: 480, height: 720 }],
    [
      'linux',
      { x: 1000, y: 50, width: 320, height: 400 },
      { x: 1000, y: 50, width: 320, height: 400 },
    ],
  ] as const)('on %s in %o is %o', (platform, area, bounds) => {
    expect(promptBounds(area, platform)).toEqual(bounds);
  });
});
