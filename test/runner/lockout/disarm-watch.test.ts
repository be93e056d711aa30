import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDisarmWatch } from '../../../runner/lockout/disarm-watch.ts';
import type { DisarmWatch } from '../../../runner/lockout/disarm-watch.ts';
import { lookAtArming } from '../../../shared/agents/index.ts';
import { hookCommand, hookProgramPath } from '../../../shared/agents/index.ts';
import { isHost } from '../../../shared/agents/index.ts';
import type { AgentHost } from '../../../shared/agents/index.ts';
import { systemClock } from '../../../shared/home/index.ts';

const packageRoot = '/opt/interlock';

function setUp(host: AgentHost) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'il-arm-')));
  const home = join(root, 'home');
  const folder = join(home, 'src', 'app');
  const put = (path: string, value: unknown): void => {
    const whole = join(home, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, typeof value === 'string' ? value : JSON.stringify(value));
  };
  const take = (path: string): void => rmSync(join(home, path));
  mkdirSync(folder, { recursive: true });
  const program = join(packageRoot, hookProgramPath);
  const command = hookCommand({
    node: process.execPath,
    program,
    host,
    agent: host,
    home: null,
    wait: 100,
  });
  const handler = { type: 'command', command, timeout: 200, onFailure: 'block' };
  const settings = {
    claude: { hooks: { PreToolUse: [{ matcher: '*', hooks: [handler] }] } },
    gemini: { hooks: { BeforeTool: [{ hooks: [{ ...handler, timeout: 200_000 }] }] } },
    cursor: {
      version: 1,
      hooks: {
        beforeShellExecution: [{ command, timeout: 200, failClosed: true }],
        beforeMCPExecution: [{ command, timeout: 200, failClosed: true }],
      },
    },
    copilot: {
      version: 1,
      hooks: { preToolUse: [{ type: 'command', command, timeoutSec: 200 }] },
    },
    droid: { hooks: { PreToolUse: [{ matcher: '*', hooks: [handler] }] } },
    codex: {},
    opencode: {},
    kilo: {},
    pi: {},
  }[host];
  const notes: string[] = [];
  const path = join(root, 'arming.json');
  const open = (): DisarmWatch => {
    const watch = createDisarmWatch({
      path,
      uid: process.geteuid?.() ?? -1,
      clock: systemClock,
      look: (subject) => lookAtArming(subject, { env: { HOME: home }, packageRoot }),
      isHost,
      requireOpen: () => undefined,
      note: (code, text) => notes.push(`${code} ${text}`),
      stopWaiting: () => notes.push('stop'),
      log: { warn: () => undefined, error: () => undefined },
    });
    onTestFinished(() => watch.dispose());
    return watch;
  };
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return { put, take, settings, folder, notes, open, path };
}

test.each([
  [
    'claude',
    '.claude/settings.json',
    'src/app/.claude/settings.local.json',
    { disableAllHooks: true },
  ],
  ['claude', '.claude/settings.json', 'src/app/.claude/settings.json', { disableAllHooks: true }],
  ['claude', '.claude/settings.json', 'src/.claude/settings.json', { disableAllHooks: true }],
  ['claude', '.claude/settings.json', '.claude/settings.json', {}],
  [
    'gemini',
    '.gemini/settings.json',
    'src/app/.gemini/settings.json',
    { hooksConfig: { enabled: false } },
  ],
  [
    'gemini',
    '.gemini/settings.json',
    'src/app/.gemini/settings.json',
    { hooksConfig: { disabled: ['interlock'] } },
  ],
  ['gemini', '.gemini/settings.json', '.gemini/settings.json', '{ "hooks": [] }'],
  ['cursor', '.cursor/hooks.json', '.cursor/hooks.json', { version: 1, hooks: {} }],
  ...(
    [
      ['src/app/.github/copilot/settings.json', { disableAllHooks: true }],
      ['src/app/.github/copilot/settings.local.json', { disableAllHooks: true }],
      ['src/.claude/settings.json', { disableAllHooks: true }],
      ['.copilot/settings.json', { disableAllHooks: true }],
      ['.copilot/hooks/interlock.json', { version: 1, hooks: {} }],
      ['.copilot/hooks/later.json', { version: 1, hooks: { preToolUse: [] } }],
      ['src/app/.github/hooks/later.json', { version: 1, hooks: { preToolUse: [] } }],
    ] as const
  ).map(([path, value]) => ['copilot', '.copilot/hooks/interlock.json', path, value] as const),
  ...(
    [
      ['src/app/.factory/hooks.json', { hooksDisabled: true }],
      ['src/.factory/settings.json', { hooksDisabled: true }],
      ['src/app/.factory/settings.local.json', { hooksDisabled: true }],
      ['src/app/.factory/hooks.json', { PreToolUse: [] }],
      ['src/app/.factory/settings.json', { hooks: { PreToolUse: [] } }],
      ['.factory/settings.json', { hooksDisabled: true }],
      ['.factory/settings.json', {}],
      ['.factory/hooks.json', { PreToolUse: [] }],
    ] as const
  ).map(([path, value]) => ['droid', '.factory/settings.json', path, value] as const),
] as const)('%s: after %s, a write of %s stops the agent', (host, place, changed, value) => {
  const { put, settings, folder, notes, open } = setUp(host);
  put(place, settings);
  const watch = open();
  watch.seen(host, { host, folder });
  expect(() => watch.check(host)).not.toThrow();
  put(changed, value);
  expect(() => watch.check(host)).toThrow(/^gate-disarmed/);
  expect(() => watch.check('another')).not.toThrow();
  expect(notes[0]).toContain('gate-disarmed');
  expect(notes[1]).toBe('stop');
});

test('opencode: a plug-in that appears beside ours stops the agent', () => {
  const { put, folder, open } = setUp('opencode');
  put('src/app/.opencode/plugins/known.js', 'export {}');
  const watch = open();
  watch.seen('opencode', { host: 'opencode', folder });
  expect(() => watch.check('opencode')).not.toThrow();
  put('src/app/.opencode/plugins/new.js', 'export {}');
  expect(() => watch.check('opencode')).toThrow(/plug-in/);
});

test.each<[AgentHost, string, unknown?]>([
  ['kilo', 'src/app/.kilo/plugin/new.js'],
  ['kilo', 'src/.kilo/plugins/new.ts'],
  ['kilo', 'src/app/.kilocode/plugin/new.js'],
  ['kilo', '.config/kilo/plugin/later.js'],
  ['kilo', 'src/app/kilo.json', { plugin: ['file:///tmp/x.js'] }],
  ['kilo', 'src/app/.kilo/kilo.jsonc', '{ "plugin": ["x"], } // a list'],
  ['kilo', '.config/kilo/kilo.json', { plugin: ['x'] }],
  ['opencode', 'src/app/opencode.json', { plugin: ['x'] }],
  ['pi', 'src/app/.pi/extensions/new.ts'],
  ['pi', 'src/app/.pi/extensions/folder/index.ts'],
  ['pi', '.pi/agent/extensions/later.js'],
  ['pi', 'src/app/.pi/settings.json', { extensions: ['../x.ts'] }],
  ['pi', '.pi/agent/settings.json', { extensions: ['-extensions/interlock.js'] }],
  ['pi', '.pi/agent/settings.json', { packages: ['npm:x'] }],
])(
  '%s: %s, which may change or drop what was asked, stops the agent',
  (host, path, value = 'export {}') => {
    const { put, folder, open } = setUp(host);
    const watch = open();
    watch.seen(host, { host, folder });
    expect(() => watch.check(host)).not.toThrow();
    put(path, value);
    expect(() => watch.check(host)).toThrow(/^gate-disarmed: .*plug-in/);
  },
);

test('a weaker hook stops the agent as well: one whose failure no longer blocks', () => {
  const { put, settings, folder, open } = setUp('claude');
  put('.claude/settings.json', settings);
  const watch = open();
  watch.seen('claude', { host: 'claude', folder });
  put('.claude/settings.json', JSON.stringify(settings).replace('"block"', '"continue"'));
  expect(() => watch.check('claude')).toThrow(/goes on without it/);
});

test('the watch sees it by itself, and a mended file lets the agent go on', async () => {
  const { put, take, settings, folder, notes, open } = setUp('claude');
  put('.claude/settings.json', settings);
  const watch = open();
  watch.seen('claude', { host: 'claude', folder });
  let told = 0;
  watch.onChange(() => (told += 1));
  put('src/app/.claude/settings.local.json', { disableAllHooks: true });
  await expect.poll(() => watch.disarmed().length).toBe(1);
  expect(told).toBe(1);
  take('src/app/.claude/settings.local.json');
  expect(() => watch.check('claude')).not.toThrow();
  expect(notes.at(-1)).toContain('gate-armed');
});

test('a stopped agent is stopped for the next runner too, until a person says otherwise', () => {
  const { put, settings, folder, open } = setUp('claude');
  put('.claude/settings.json', settings);
  const first = open();
  first.seen('claude', { host: 'claude', folder });
  put('.claude/settings.json', {});
  expect(() => first.check('claude')).toThrow();
  first.dispose();
  const second = open();
  expect(() => second.check('claude')).toThrow(/^gate-disarmed/);
  expect(second.rearm('claude', 'user 1')).toBe(true);
  expect(() => second.check('claude')).not.toThrow();
});

test('a record that cannot be read stops everybody', () => {
  const { open, path } = setUp('claude');
  writeFileSync(path, '{ broken', { mode: 0o600 });
  const watch = open();
  expect(() => watch.check('claude')).toThrow(/^gate-disarmed/);
  watch.rearm('claude', 'user 1');
  expect(() => watch.check('claude')).not.toThrow();
});

test('what was weak from the start does not stop an agent; doctor tells of it', () => {
  const { put, settings, folder, open } = setUp('claude');
  put('.claude/settings.json', JSON.stringify(settings).replace('"block"', '"continue"'));
  const watch = open();
  watch.seen('claude', { host: 'claude', folder });
  expect(() => watch.check('claude')).not.toThrow();
});

test('settings with a word about hooks that does not parse turn nothing off', () => {
  const { put, settings, folder, open } = setUp('claude');
  put('.claude/settings.json', settings);
  const watch = open();
  watch.seen('claude', { host: 'claude', folder });
  put('src/app/.claude/settings.local.json', '{ "disableAllHooks": true');
  expect(() => watch.check('claude')).not.toThrow();
});
