import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { claudeHost } from '../../../shared/agents/claude/host.ts';
import { gatherAgents, whoRuns } from '../../../shared/agents/health.ts';
import { hookCommand, hookOptions, hookProgramPath } from '../../../shared/agents/hook-command.ts';
import type { HostHook, HostRecord } from '../../../shared/agents/host.ts';
import type * as List from '../../../shared/agents/list.ts';
import type { AgentHost } from '../../../shared/agents/list.ts';
import { lookAtArming } from '../../../shared/agents/arming.ts';
import {
  failClosed,
  hosts,
  isHost,
  recordOf,
  titleOf,
  toolsOf,
} from '../../../shared/agents/registry.ts';
import { toolGroups } from '../../../shared/agents/hook-entries.ts';
import { withHooks } from '../../../shared/agents/edit-settings.ts';
import { hookFile } from '../../../shared/agents/settings-file.ts';
import { agentChecks } from '../../../shared/operations/health/checks.ts';
import { homePaths } from '../../../shared/home/index.ts';
import { declare as acp } from '../../../runner/cli/commands/acp.ts';
import { declare as hook } from '../../../runner/cli/commands/hook.ts';
import { declare as install } from '../../../runner/cli/commands/install.ts';
import { declare as uninstall } from '../../../runner/cli/commands/uninstall.ts';
import { adviceFor, hostNamed, managedFor } from '../../../runner/cli/install.ts';
import type { Io } from '../../../runner/cli/io.ts';

const root = resolve(import.meta.dirname, '../../..');

// A host that nobody has written: one entry in each half of the list, and no other file.
vi.mock('../../../shared/agents/list.ts', async (original) => {
  const list = await original<typeof List>();
  const madeUpHook: HostHook = {
    title: 'Made Up',
    answer: (outcome) => ({ stdout: `made-up says ${outcome.kind}`, stderr: '', exitCode: 0 }),
  };
  const madeUpHost: HostRecord = {
    ...claudeHost,
    places: {
      ...claudeHost.places,
      folder: (env) => join(env['HOME'] ?? '', '.made-up'),
      personal: 'hooks.json',
      project: '.made-up/hooks.json',
      inProject: ['.made-up/hooks.json'],
    },
    managed: { write: '/etc/made-up.json', read: ['/etc/made-up.json'], lock: { locked: true } },
    rules: null,
    acp: 'made-up --speak-acp',
    words: { advice: ['Turn it off and on.'], objections: () => [], guide: 'docs/made-up.md' },
  };
  return {
    hostHooks: { ...list.hostHooks, 'made-up': madeUpHook },
    hostRecords: { ...list.hostRecords, 'made-up': madeUpHost },
  };
});

const madeUp = 'made-up' as AgentHost;
const io = { env: {} } as Io;

function helpOf(declare: typeof install): string {
  let text = '';
  const command = declare(io, () => undefined).configureOutput({
    writeOut: (part) => (text += part),
  });
  command.outputHelp();
  return text.replaceAll(/\s+/g, ' ');
}

describe('a host that stands in the list alone', () => {
  test('is known by its name and speaks in its own words', () => {
    expect(isHost('made-up')).toBe(true);
    expect(titleOf(madeUp)).toBe('Made Up');
    expect(failClosed(madeUp, 'no').stdout).toBe('made-up says refused');
    expect(hookOptions(['made-up', '--agent', 'a', '--wait', '5'])).toMatchObject({ host: madeUp });
  });

  test('is offered by the command line', () => {
    for (const declare of [install, uninstall, hook])
      expect(helpOf(declare)).toContain(
        'claude, codex, gemini, cursor, opencode, copilot, pi, droid, kilo or made-up',
      );
    expect(helpOf(acp)).toContain('interlock acp --agent made-up -- made-up --speak-acp');
    expect(hostNamed('made-up')).toBe(madeUp);
    expect(adviceFor({ host: madeUp }, io)).toEqual([
      whoRuns(madeUp),
      'Turn it off and on.',
      'What it cannot hold: docs/made-up.md',
    ]);
    expect(managedFor(madeUp).write).toBe('/etc/made-up.json');
  });

  test('is looked at by health and by the watch over hooks', () => {
    const home = mkdtempSync(join(tmpdir(), 'interlock-hosts-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const env = { HOME: home, INTERLOCK_HOME: join(home, '.interlock') };
    const path = hookFile(madeUp, { env, project: null });
    expect(path).toBe(join(home, '.made-up/hooks.json'));
    const program = join(root, hookProgramPath);
    const node = process.execPath;
    const command = { node, program, host: madeUp, agent: 'a', home: null, wait: 600 };
    const plan = { command: hookCommand(command), seconds: 615, tools: toolsOf(madeUp) };
    const { keeping } = recordOf(madeUp);
    if (keeping.kind !== 'settings') throw new Error('it keeps its hooks in a file');
    mkdirSync(dirname(path));
    writeFileSync(path, withHooks(null, plan, keeping.format), { mode: 0o600 });
    const options = { paths: homePaths(env), env, packageRoot: root };
    const uid = process.geteuid?.() ?? -1;
    const found = gatherAgents({ ...options, platform: process.platform, uid });
    expect(found).toMatchObject([{ host: 'made-up', path, broken: [], hook: { agent: 'a' } }]);
    expect(
      agentChecks(found, 'live')
        .map(({ title }) => title)
        .join(),
    ).toContain('Made Up');
    const arming = lookAtArming({ host: madeUp, folder: join(home, 'project') }, options);
    expect(arming).toMatchObject({ present: true, problems: [] });
    expect(arming.files).toContain(join(home, 'project/.made-up/hooks.json'));
  });
});

describe.each(hosts)('the record of %s', (host) => {
  const record = recordOf(host);
  const env = { HOME: '/home/somebody' };

  test('answers what is asked of every host', () => {
    const { places, keeping, managed, words } = record;
    expect(titleOf(host)).not.toBe('');
    expect(isAbsolute(places.folder(env))).toBe(true);
    for (const name of [places.personal, places.project, ...places.inProject])
      expect(isAbsolute(name)).toBe(false);
    expect(places.besides(env).every(isAbsolute)).toBe(true);
    expect(toolGroups).toEqual(expect.arrayContaining([...toolsOf(host)]));
    expect(toolsOf(host)).toContain('shell');
    if (keeping.kind === 'settings') {
      expect(places.inProject).toContain(places.project);
      const plan = { command: 'hook', seconds: 60, tools: toolsOf(host) };
      const events = keeping.format.entries(plan).map(({ event }) => event);
      expect(events).toEqual(expect.arrayContaining([...keeping.format.gates]));
    } else expect(existsSync(join(root, keeping.asset))).toBe(true);
    if (managed !== null) {
      expect(managed.read).toContain(managed.write);
      expect(isAbsolute(managed.write)).toBe(true);
      expect(Object.keys(managed.lock)).not.toEqual([]);
    }
    expect(words.advice).not.toEqual([]);
    if (host !== madeUp) expect(existsSync(join(root, words.guide))).toBe(true);
  });
});

/**
 * Files that name a host for what it is: the protocol of that one program, or, on the wire and in
 * the texts of the pages, which cannot load what knows the hosts, a choice of rule files or an example.
 * To SQL "pi" is a number.
 */
const named: readonly string[] = [
  'app/host/setup-handlers.ts',
  // The cursor of a terminal, as its library calls its colour.
  'app/renderer/boxes/screen.ts',
  'app/renderer/text/de-rules.ts',
  'app/renderer/text/de-setup.ts',
  'app/renderer/text/en-rules.ts',
  'runner/boxes/skills/files.ts',
  'runner/cli/approvals/import.ts',
  'runner/cli/command-table.ts',
  'runner/cli/commands/app-server.ts',
  'runner/cli/commands/box.ts',
  'runner/cli/commands/mcp.ts',
  'runner/cli/commands/up.ts',
  'runner/cli/commands/wrap.ts',
  'runner/ingress/mcp/server.ts',
  'shared/agents/boxes.ts',
  'shared/engine/programs/languages/python-words.ts',
  'shared/engine/programs/languages/sql.ts',
  'shared/engine/redact/names.ts',
  'shared/engine/redact/shapes.ts',
  'shared/engine/workspace.ts',
  'shared/ipc/ancestry.ts',
  'shared/wire/agent-import.ts',
];
const ofOneProtocol =
  /^(?:shared\/engine\/(?:places|programs\/records)|runner\/ingress\/codex-app-server)\//u;

test('no product file besides its folder and the list names a host', () => {
  const real = hosts.filter((host) => host !== madeUp);
  const names = new RegExp(String.raw`\b(?:${[...real, ...real.map(titleOf)].join('|')})\b`, 'u');
  const found = ['shared', 'runner', 'app'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/u.test(name))
      .map((name) => `${folder}/${name}`)
      .filter((path) => !ofOneProtocol.test(path) && path !== 'shared/agents/list.ts')
      .filter((path) => !real.some((host) => path.startsWith(`shared/agents/${host}/`)))
      .filter((path) => names.test(withoutAsides(readFileSync(join(root, path), 'utf8')))),
  );
  expect(found.toSorted()).toEqual(named);
});

/** Without comments, and without what agents are called in examples, which is up to their person. */
function withoutAsides(text: string): string {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gmu, '')
    .replaceAll(/(?:--agent|agents (?:add|rekey)|"agent":) "?claude\b/gu, '');
}
