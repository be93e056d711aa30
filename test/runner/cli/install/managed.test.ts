import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  apply,
  changes,
  installingManaged,
  locking,
  managedFor,
  requireRoot,
  uninstallingManaged,
} from '../../../../runner/cli/install.ts';
import { parse } from 'smol-toml';
import { findHooks, readSettings } from '../../../../shared/agents/index.ts';

const uid = process.geteuid?.() ?? -1;

function place(text: string | null): { readonly path: string; readonly read: () => string } {
  const folder = mkdtempSync(join(tmpdir(), 'il-managed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'etc', 'settings.json');
  if (text !== null) {
    mkdirSync(join(folder, 'etc'));
    writeFileSync(path, text, { mode: 0o644 });
  }
  return { path, read: () => readFileSync(path, 'utf8') };
}

const wanted = (host: 'claude' | 'gemini' | 'droid' | 'copilot') => ({
  command: {
    node: process.execPath,
    program: '/opt/interlock/dist/runner/hook/main.cjs',
    host,
    agent: host,
    home: null,
    wait: 100,
  },
  seconds: 130,
  tools: ['shell', 'edit', 'fetch', 'mcp'] as const,
  packageRoot: '/opt/interlock',
});

test.each([
  ['claude', { allowManagedHooksOnly: true, disableAllHooks: false }],
  ['gemini', { hooksConfig: { enabled: true } }],
  ['droid', { allowManagedHooksOnly: true }],
] as const)('%s: the settings of the machine hold the hook and what keeps it', (host, lock) => {
  const { path, read } = place(null);
  apply(installingManaged(readSettings(path, { uid, project: null }), wanted(host)));
  expect(JSON.parse(read())).toMatchObject(lock);
  expect(read()).toContain('/opt/interlock/dist/runner/hook/main.cjs');
  expect(statSync(path).mode & 0o777).toBe(0o644);
  const removal = uninstallingManaged(readSettings(path, { uid, project: null }), host);
  expect(removal?.after).toBeNull();
});

test('copilot: the lock has a file of its own, and what stood there stays', () => {
  const hook = place(null);
  const settings = { path: hook.path, uid, project: null };
  apply(installingManaged(readSettings(hook.path, settings), wanted('copilot')));
  expect(JSON.parse(hook.read())).toMatchObject({ version: 1 });
  expect(hook.read()).not.toContain('allowManagedHooksOnly');

  const kept = place('{ "telemetry": false }');
  apply(locking(readSettings(kept.path, settings), 'copilot', true));
  expect(JSON.parse(kept.read())).toEqual({ telemetry: false, allowManagedHooksOnly: true });
  apply(locking(readSettings(kept.path, settings), 'copilot', false));
  expect(JSON.parse(kept.read())).toEqual({ telemetry: false });

  const fresh = place(null);
  apply(locking(readSettings(fresh.path, settings), 'copilot', true));
  expect(JSON.parse(fresh.read())).toEqual({ allowManagedHooksOnly: true });
  expect(statSync(fresh.path).mode & 0o777).toBe(0o644);
  expect(locking(readSettings(fresh.path, settings), 'copilot', false).after).toBeNull();
});

test('what an administrator had there stays, byte for byte once the hook is out again', () => {
  const before = '{\n  "permissions": { "deny": ["Bash(curl:*)"] }\n}\n';
  const { path, read } = place(before);
  apply(installingManaged(readSettings(path, { uid, project: null }), wanted('claude')));
  expect(JSON.parse(read())).toMatchObject({
    permissions: { deny: ['Bash(curl:*)'] },
    allowManagedHooksOnly: true,
  });
  const removal = uninstallingManaged(readSettings(path, { uid, project: null }), 'claude');
  expect(removal).not.toBeNull();
  if (removal !== null) apply(removal);
  expect(JSON.parse(read())).toMatchObject({ permissions: { deny: ['Bash(curl:*)'] } });
  expect(read()).not.toContain('interlock');
});

const codex = { ...wanted('claude').command, host: 'codex', agent: 'codex' } as const;

test('Codex: requirements.toml holds the hooks, which stay on and alone, before all else in it', () => {
  const before = '# ours\nallowed_sandbox_modes = ["read-only"]\n\n[rules]\nx = 1\n';
  const { path, read } = place(before);
  const file = () => readSettings(path, { uid, project: null });
  const plan = { ...wanted('claude'), command: codex };
  apply(installingManaged(file(), plan));
  const settings = parse(read());
  expect(settings).toMatchObject({
    allow_managed_hooks_only: true,
    features: { hooks: true },
    allowed_sandbox_modes: ['read-only'],
    rules: { x: 1 },
    hooks: { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', timeout: 130 }] }] },
  });
  expect(findHooks(settings).map(({ command }) => command)).toEqual([
    codex,
    codex,
    { ...codex, prompt: true },
  ]);
  expect(changes(installingManaged(file(), plan))).toBe(false);
  const removal = uninstallingManaged(file(), 'codex');
  if (removal !== null) apply(removal);
  expect(read()).toBe(before);
  expect(uninstallingManaged(file(), 'codex')).toBeNull();
});

test.each(['[features]\nhooks = false\n', '[[hooks.Stop]]\nhooks = []\n', 'no TOML'])(
  'Codex: a requirements.toml that says %j is left alone',
  (text) => {
    const { path, read } = place(text);
    const plan = { ...wanted('claude'), command: codex };
    expect(() => installingManaged(readSettings(path, { uid, project: null }), plan)).toThrow(path);
    expect(read()).toBe(text);
  },
);

test('who is not root, and a host without such settings, is refused with a code', () => {
  expect(() => requireRoot(1000, '/etc/x')).toThrow(/^policy-deny/);
  expect(() => requireRoot(0, '/etc/x')).not.toThrow();
  expect(() => managedFor('cursor')).toThrow(/^invalid-request/);
  expect(() => managedFor('opencode')).toThrow(/^invalid-request/);
});
