import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { AppState } from '../../../app/bridge/types.ts';
import { trayIconFile, trayPicture, trayPictures } from '../../../app/electron/tray/tray.ts';
import { trayStatus } from '../../../app/electron/tray/menu.ts';
import { queuedAsk } from '../../support/queued-ask.ts';
import { click, menuItem } from './support/fake-things.ts';
import { appState, startFake } from './support/start.ts';
import type { FakeShell } from './support/start.ts';

const runner = appState().runner as NonNullable<AppState['runner']>;
const asks = (count: number) =>
  Array.from({ length: count }, (_, n) => queuedAsk({ id: `ask-${n}`, command: `make step-${n}` }));

describe('the status of the tray', () => {
  it.each([
    ['before the first state', null, 'broken'],
    ['armed', appState(), 'armed'],
    ['one ask', appState({ queue: asks(1) }), 'asking-1'],
    ['nine asks', appState({ queue: asks(9) }), 'asking-9'],
    ['ten asks', appState({ queue: asks(10) }), 'asking-many'],
    ['paused', appState({ runner: { ...runner, mode: 'paused' } }), 'paused'],
    ['locked', appState({ runner: { ...runner, mode: 'locked' } }), 'locked'],
    [
      'locked with asks',
      appState({ runner: { ...runner, mode: 'locked' }, queue: asks(2) }),
      'locked',
    ],
    ['runner gone', appState({ runner: null }), 'broken'],
    ['runner gone with asks', appState({ runner: null, queue: asks(2) }), 'broken'],
    [
      'runner gone, but locked out',
      appState({ runner: null, stop: { mode: 'locked', reason: null } }),
      'locked',
    ],
    [
      'policy not valid',
      appState({ runner: { ...runner, policyProblem: 'Line 3' }, queue: asks(1) }),
      'broken',
    ],
  ] as const)('is drawn as it should be: %s', (_what, state, picture) => {
    expect(trayPicture(trayStatus(state))).toBe(picture);
  });

  it.each(['light', 'dark', 'template'] as const)('has a picture for every state, %s', (theme) => {
    const assets = fileURLToPath(new URL('../../../assets', import.meta.url));
    for (const picture of trayPictures) {
      const file = trayIconFile(assets, theme, picture);
      expect(existsSync(file), file).toBe(true);
      expect(existsSync(file.replace('.png', '@2x.png')), file).toBe(true);
    }
  });
});

describe('the tray', () => {
  let fake: FakeShell;
  afterEach(() => fake.end());
  const labels = () => fake.tray().menu.map(({ label, type }) => label ?? type);

  it('always has a context menu, as a click may never arrive', async () => {
    fake = await startFake();
    expect(labels()).toEqual([
      'Interlock: armed',
      'separator',
      'Pause',
      'Lock out now',
      'separator',
      'Open Interlock',
      'Settings',
      'separator',
      'Quit',
    ]);
  });

  it('names the oldest asks, and how many more there are', async () => {
    fake = await startFake();
    fake.host.ask(...asks(7));
    expect(fake.tray().tooltip).toBe('7 asks waiting');
    expect(labels().slice(2, 9)).toEqual([
      'Waiting for you',
      'claude: make step-0',
      'claude: make step-1',
      'claude: make step-2',
      'claude: make step-3',
      'claude: make step-4',
      '2 more…',
    ]);
  });

  it('opens the prompt of an ask that is chosen, and answers nothing', async () => {
    fake = await startFake();
    fake.host.ask(...asks(2));
    click(fake.tray().menu, 'claude: make step-1');
    const prompt = fake.windows[1];
    expect(prompt?.urls.at(-1)).toBe('app://interlock/#/prompt/ask-1');
    expect(prompt?.focused).toBe(true);
    expect(fake.host.calls).toEqual([]);
  });

  it('shows a hostile command as one harmless line', async () => {
    fake = await startFake();
    fake.host.ask(queuedAsk({ command: `echo a && b\n\u202Egnp.exe${'x'.repeat(5000)}` }));
    const label = menuItem(fake.tray().menu, labels()[3] ?? '').label ?? '';
    expect(label).toContain('&&&&');
    expect(label).not.toMatch(/[\n\u202E]/u);
    expect(label.length).toBeLessThan(120);
    expect(label.endsWith('…')).toBe(true);
  });

  it.each([
    ['Pause', 'pause', { reason: 'Paused from the menu bar' }],
    ['Lock out now', 'lockout', { reason: 'Locked out from the menu bar' }],
  ])('does %s with one click', async (label, call, args) => {
    fake = await startFake();
    click(fake.tray().menu, label);
    expect(fake.host.calls).toEqual([[call, args]]);
  });

  it('offers to resume when paused, and the way out when locked', async () => {
    fake = await startFake();
    fake.host.push({ runner: { ...runner, mode: 'paused' } });
    expect(labels()).toContain('Resume');
    click(fake.tray().menu, 'Resume');
    expect(fake.host.calls).toEqual([['resume', {}]]);
    fake.host.push({ runner: { ...runner, mode: 'locked' } });
    expect(labels()).not.toContain('Lock out now');
    click(fake.tray().menu, 'Unlock…');
    expect(fake.windows[0]?.focused).toBe(true);
    expect(fake.host.calls).toHaveLength(1);
  });

  it('says that a lockout worked, and what it did', async () => {
    fake = await startFake();
    fake.host.results.set('lockout', { ok: true, result: { stopped: 2, keysRotated: 1 } });
    click(fake.tray().menu, 'Lock out now');
    await Promise.resolve();
    await Promise.resolve();
    await Promise.resolve();
    expect(fake.notifications.at(-1)?.options.body).toBe(
      'Locked out. 2 processes stopped, 1 key replaced.',
    );
  });

  it('tells of a lockout from elsewhere once, and of one from here not twice', async () => {
    fake = await startFake();
    fake.host.push({ runner });
    fake.host.push({ runner: { ...runner, mode: 'locked', reason: 'token=abc123DEF456' } });
    fake.host.push({ runner: { ...runner, mode: 'locked', reason: 'token=abc123DEF456' } });
    const bodies = () => fake.notifications.map(({ options }) => options.body);
    expect(bodies()).toEqual(['Locked out, everything was stopped: token=[redacted].']);
    fake.host.push({ runner });
    fake.host.results.set('lockout', { ok: true, result: { stopped: 2, keysRotated: 1 } });
    click(fake.tray().menu, 'Lock out now');
    fake.host.push({ runner: { ...runner, mode: 'locked' } });
    await Promise.resolve();
    await Promise.resolve();
    await Promise.resolve();
    expect(bodies().slice(1)).toEqual(['Locked out. 2 processes stopped, 1 key replaced.']);
  });

  it('is drawn anew when the theme of the desktop changes', async () => {
    fake = await startFake();
    expect(fake.tray().image.file).toBe('/app/assets/tray/dark/armed.png');
    fake.nativeTheme.shouldUseDarkColors = false;
    fake.nativeTheme.emit('updated');
    expect(fake.tray().image.file).toBe('/app/assets/tray/light/armed.png');
  });

  it('uses the template form on macOS, with the count beside it from ten on', async () => {
    fake = await startFake({ platform: 'darwin' });
    expect(fake.tray().image).toMatchObject({
      file: '/app/assets/tray/template/armedTemplate.png',
      template: true,
    });
    fake.host.ask(...asks(12));
    expect(fake.tray().title).toBe('12');
  });

  it('names the sessions that are raised, and ends one with a click, as the menu bar does', async () => {
    fake = await startFake();
    const raised = {
      as: '/elevated on',
      since: 0,
      expiresAt: new Date(2026, 0, 1, 14, 20).getTime(),
    };
    const elevated = [
      { id: 'e1', agent: 'claude', session: 's&1', ...raised },
      { id: 'e2', agent: 'a\u202Eb\nc', session: 's2', ...raised },
    ];
    fake.host.push({ runner: { ...runner, elevated } });
    const end = 'End /elevated on of claude (s&&1), until 14:20';
    expect(labels().slice(2, 4)).toEqual(['Raised for a while', end]);
    expect(labels()[4]).not.toMatch(/[\n\u202E]/u);
    click(fake.tray().menu, end);
    expect(fake.host.calls).toEqual([['endGrant', { id: 'e1' }]]);
    click(fake.menu(), end);
    expect(fake.host.calls).toHaveLength(2);
    fake.host.push({ runner });
    expect(labels()).not.toContain('Raised for a while');
  });

  it('has every action in the menu bar of the window too', async () => {
    fake = await startFake();
    for (const label of ['Pause', 'Lock out now', 'Show the oldest ask', 'Settings', 'Quit']) {
      expect(menuItem(fake.menu(), label).label).toBe(label);
    }
    click(fake.menu(), 'Lock out now');
    expect(fake.host.calls[0]?.[0]).toBe('lockout');
  });

  it('speaks German to a German desktop', async () => {
    fake = await startFake({ before: ({ app }) => void (app.locale = 'de-AT') });
    expect(labels()).toContain('Jetzt sperren');
  });

  it('goes away, and the host with it, when the person quits', async () => {
    fake = await startFake();
    click(fake.tray().menu, 'Quit');
    await fake.shell?.dispose();
    expect(fake.tray().destroyed).toBe(true);
    expect(fake.host.closed).toBe(true);
    expect(fake.host.listeners.size).toBe(0);
    expect(fake.windows.every(({ destroyed }) => destroyed)).toBe(true);
  });
});
