import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codexHash } from '../../../shared/agents/codex/config.ts';
import { findHooks } from '../../../shared/agents/hook-command.ts';
import { agentChecks } from '../../../shared/operations/health/checks.ts';
import { gatherAgents } from '../../../shared/agents/health.ts';
import type { HealthCheck } from '../../../shared/operations/health/types.ts';
import { homePaths } from '../../../shared/home/paths.ts';
import { installPlace } from '../../runner/cli/install/support.ts';
import type { InstallPlace } from '../../runner/cli/install/support.ts';

let place: InstallPlace;
beforeEach(async () => {
  place = await installPlace();
});
afterEach(() => place.remove());

function look(runnerSocket: 'live' | 'absent' = 'live'): readonly HealthCheck[] {
  const agents = gatherAgents({
    paths: homePaths({ INTERLOCK_HOME: join(place.folder, 'home') }),
    env: { HOME: place.folder },
    packageRoot: join(place.folder, 'package'),
    platform: process.platform,
    uid: process.getuid?.() ?? -1,
    folder: join(place.folder, 'project'),
  });
  return agentChecks(agents, runnerSocket);
}

/** Changes a file of the person by replacing text in it. */
function change(path: string, from: string | RegExp, to: string): void {
  const before = readFileSync(join(place.folder, path), 'utf8');
  const after = before.replace(from, to);
  expect(after).not.toBe(before);
  writeFileSync(join(place.folder, path), after);
}

/** As a person does who enters /hooks in Codex. */
function trustCodex(): void {
  const path = join(place.folder, '.codex/hooks.json');
  const hooks = findHooks(JSON.parse(readFileSync(path, 'utf8')));
  const states = hooks.map((hook) => {
    const label = hook.event.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
    return `[hooks.state."${path}:${label}:${String(hook.index)}:0"]\ntrusted_hash = "${codexHash(hook)}"\n`;
  });
  const network =
    'sandbox_mode = "workspace-write"\n[sandbox_workspace_write]\nnetwork_access = true\n';
  place.write('.codex/config.toml', [network, ...states].join('\n'));
}

it('says that no agent is behind the gate', () => {
  expect(look()).toMatchObject([{ id: 'agents', level: 'ok' }]);
});

it.each(['claude', 'gemini', 'cursor', 'opencode'])(
  '%s is well after one command',
  async (host) => {
    await place.run('install', host);
    expect(look()).toMatchObject([{ id: `agent-${host}`, level: 'ok' }]);
  },
);

it('looks at the settings of the folder too', async () => {
  await place.run('install', 'claude', '--project');
  expect(look()).toMatchObject([{ id: 'agent-claude-here', level: 'ok' }]);
});

it('says that a host has the hook twice', async () => {
  await place.run('install', 'claude', '--project');
  await place.run('install', 'claude');
  expect(look()).toMatchObject([
    { id: 'agent-claude', level: 'ok' },
    { id: 'agent-claude-here', level: 'warning', detail: expect.stringContaining('twice') },
  ]);
});

it.each([
  ['claude', '.claude/settings.json', 'UserPromptSubmit'],
  ['claude', '.claude/settings.json', 'SessionEnd'],
  ['codex', '.codex/hooks.json', 'UserPromptSubmit'],
])('says that hooks of %s from before have none in %s for %s', async (host, path, event) => {
  await place.run('install', host);
  const settings = JSON.parse(readFileSync(join(place.folder, path), 'utf8')) as {
    hooks: Record<string, unknown>;
  };
  delete settings.hooks[event];
  writeFileSync(join(place.folder, path), JSON.stringify(settings));
  if (host === 'codex') trustCodex();
  const [check] = look();
  expect(check).toMatchObject({ level: 'warning' });
  expect(check?.detail).toContain(`no hook for ${event}`);
  expect(check?.detail).toContain(`interlock install ${host}`);
  await place.run('install', host);
  if (host === 'codex') trustCodex();
  expect(look()).toMatchObject([{ level: 'ok' }]);
});

it('says that everything is refused while no runner runs', async () => {
  await place.run('install', 'claude');
  expect(look('absent')).toMatchObject([{ level: 'warning' }]);
});

const claude = '.claude/settings.json';
const gemini = '.gemini/settings.json';
const dangers: readonly (readonly [string, string, () => void, string])[] = [
  ['claude', 'goes on when the hook fails', () => change(claude, '"block"', '"continue"'), 'fails'],
  ['claude', 'has another line', () => change(claude, ' || { echo', ' ; { echo'), 'missing'],
  [
    'claude',
    'has hooks turned off',
    () => change(claude, '{', '{ "disableAllHooks": true,'),
    'off',
  ],
  ['claude', 'waits too briefly', () => change(claude, '"timeout": 150', '"timeout": 60'), 'waits'],
  ['claude', 'cannot be read', () => change(claude, '{', '{ // x'), 'starts no hook'],
  ['claude', 'has no program', () => rmSync(place.program), 'cannot start'],
  ['codex', 'is not trusted', () => undefined, 'until you trust it'],
  [
    'codex',
    'has a field it does not know',
    () => change('.codex/hooks.json', '{', '{"x":1,'),
    '"x"',
  ],
  ['gemini', 'waits too briefly', () => change(gemini, '150000', '60000'), 'waits'],
  [
    'gemini',
    'has the hook turned off',
    () => change(gemini, '{', '{ "hooksConfig": { "disabled": ["interlock"] },'),
    'turned off',
  ],
  [
    'cursor',
    'goes on when the hook fails',
    () => change('.cursor/hooks.json', /true/g, 'false'),
    'fails',
  ],
  [
    'opencode',
    'has a changed plugin',
    () => change('.config/opencode/plugins/interlock.js', 'throw new', 'return new'),
    'not the one',
  ],
];

describe('a hook that does not hold is a danger', () => {
  it.each(dangers)('%s %s', async (host, _name, prepare, sentence) => {
    await place.run('install', host);
    prepare();
    const [check] = look();
    expect(check).toMatchObject({ id: `agent-${host}`, level: 'danger' });
    expect(check?.detail).toContain(sentence);
    expect(check?.detail).toContain(`interlock install ${host}`);
  });
});

describe('Codex', () => {
  beforeEach(() => place.run('install', 'codex'));

  it('is well once a person has trusted the hook', () => {
    trustCodex();
    expect(look()).toMatchObject([{ level: 'ok' }]);
  });

  it('is not held when the hook has changed since', async () => {
    trustCodex();
    await place.run('install', 'codex', '--tools', 'shell');
    expect(look()[0]).toMatchObject({
      level: 'danger',
      detail: expect.stringContaining('changed'),
    });
  });

  it('is not held when the hook is turned off there', () => {
    trustCodex();
    change('.codex/config.toml', /trusted_hash/g, 'enabled = false\ntrusted_hash');
    expect(look()[0]).toMatchObject({ level: 'danger', detail: expect.stringContaining('off') });
  });

  it('cannot run what is allowed where its sandbox keeps it from the runner', () => {
    trustCodex();
    change('.codex/config.toml', 'network_access = true', 'network_access = false');
    expect(look()[0]).toMatchObject({
      level: 'warning',
      detail: expect.stringContaining('cannot reach the runner'),
    });
  });
});

describe('the key', () => {
  beforeEach(() => place.run('install', 'claude'));

  it('is missing when it was removed', async () => {
    await place.run('agents', 'rm', 'claude');
    expect(look()[0]).toMatchObject({
      level: 'warning',
      detail: expect.stringContaining('no key'),
    });
  });

  it('was taken away by a lockout', () => {
    rmSync(join(place.folder, 'home/keys/agents/claude.key'));
    expect(look()[0]).toMatchObject({ level: 'warning', detail: expect.stringContaining('rekey') });
  });
});

it('says that the policy now gives a person more time than the hook', async () => {
  await place.run('install', 'claude');
  change('home/exec-approvals.json', '"defaults": {', '"defaults": { "askTimeoutMs": 600000,');
  expect(look()[0]).toMatchObject({ level: 'warning', detail: expect.stringContaining('600') });
});

it('says that the hook is of another installation', async () => {
  await place.run('install', 'claude');
  const other = place.write('other/dist/runner/hook/main.cjs', '');
  change(claude, new RegExp(place.program, 'g'), other);
  expect(look()[0]).toMatchObject({ level: 'warning', detail: expect.stringContaining('another') });
});
