import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hookProgramPath } from '../../../shared/agents/hook-command.ts';
import { adapterOf } from '../../../shared/agents/registry.ts';
import type { HookOutcome } from '../../../shared/wire/agent-host.ts';
import { pluginText, readPlugin } from '../../../shared/agents/plugin.ts';
import type { PluginPlan } from '../../../shared/agents/plugin.ts';
import { toolGroups } from '../../../shared/agents/hook-entries.ts';
import { pluginTemplate } from '../../../shared/agents/plugin.ts';
import { packageRoot } from '../../runner/cli/support.ts';

interface Hooks {
  'tool.execute.before'(
    input: { readonly tool: string; readonly sessionID: string; readonly callID: string },
    output: { readonly args: Record<string, unknown> },
  ): Promise<void>;
  event(input: { readonly event: unknown }): Promise<void>;
}

interface PluginOptions {
  readonly exitCode?: number;
  readonly tools?: PluginPlan['tools'];
  readonly decideOnly?: true;
}

const template = pluginTemplate(packageRoot, 'assets/agents/opencode/interlock.js');
let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'il-plugin-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const planned = (tools: PluginPlan['tools'] = toolGroups, decideOnly?: true): PluginPlan => ({
  command: {
    node: process.execPath,
    program: join(folder, hookProgramPath),
    host: 'opencode',
    agent: 'opencode',
    home: null,
    wait: 135,
    ...(decideOnly && { decideOnly }),
  },
  tools,
});

/** The plugin, with a program in the place of the hook that notes its input and says `words`. */
async function plugin(
  words: string,
  { exitCode = 0, tools = toolGroups, decideOnly }: PluginOptions = {},
): Promise<Hooks> {
  const heard = JSON.stringify(join(folder, 'heard'));
  const program = join(folder, 'hook.cjs');
  writeFileSync(
    program,
    `const input = require('node:fs').readFileSync(0, 'utf8');
     require('node:fs').appendFileSync(${heard}, input + '\\n');
     process.stdout.write(${JSON.stringify(words)}); process.exitCode = ${String(exitCode)};`,
  );
  const text = pluginText(template, planned(tools, decideOnly)).replace(
    join(folder, hookProgramPath),
    program,
  );
  writeFileSync(join(folder, 'interlock.mjs'), text);
  const module = (await import(pathToFileURL(join(folder, 'interlock.mjs')).href)) as {
    Interlock: (input: { readonly directory: string }) => Promise<Hooks>;
  };
  return module.Interlock({ directory: '/home/ada/src' });
}

const said = (outcome: HookOutcome): string =>
  adapterOf('opencode')?.answer(outcome, { args: { command: 'x' } }).stdout ?? '';

const heard = (): unknown[] =>
  readFileSync(join(folder, 'heard'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

const bash = { tool: 'bash', sessionID: 'ses_1', callID: 'call_1' };

it('is read back as it was planned', () => {
  expect(readPlugin(pluginText(template, planned(['edit'])))).toEqual(planned(['edit']));
  expect(readPlugin(template)).toBeNull();
  expect(readPlugin('const settings = [1];\n')).toBeNull();
});

it('tells the hook what the adapter understands', async () => {
  const hooks = await plugin(said({ kind: 'run-instead', command: 'interlock run' }));
  const args = { command: 'ls', description: 'List' };
  await hooks['tool.execute.before'](bash, { args });
  await hooks.event({ event: { type: 'session.deleted', properties: { info: { id: 'ses_1' } } } });
  await hooks.event({ event: { type: 'session.idle', properties: { sessionID: 'ses_1' } } });
  expect(heard().map((input) => adapterOf('opencode')?.read(input).kind)).toEqual([
    'command',
    'session-ended',
  ]);
});

it('gives OpenCode the other command, in the very object that it goes on with', async () => {
  const hooks = await plugin(said({ kind: 'run-instead', command: 'interlock run' }));
  const args = { command: 'ls', timeout: 5 };
  await hooks['tool.execute.before'](bash, { args });
  expect(args).toEqual({ command: 'interlock run', timeout: 5 });
});

it('lets a command run as it came where the gate only decides, and nowhere else', async () => {
  const args = { command: 'ls' };
  const deciding = await plugin(said({ kind: 'allowed' }), { decideOnly: true });
  await deciding['tool.execute.before'](bash, { args });
  expect(args).toEqual({ command: 'ls' });
});

it('asks about a tool whatever its name is', async () => {
  const hooks = await plugin(said({ kind: 'refused', text: 'no' }));
  for (const tool of ['constructor', 'toString', '__proto__'])
    await expect(hooks['tool.execute.before']({ ...bash, tool }, { args: {} })).rejects.toThrow(
      'no',
    );
});

it('lets pass what the host may do itself', async () => {
  const hooks = await plugin(said({ kind: 'allowed' }));
  const args = { filePath: '/a' };
  await hooks['tool.execute.before']({ ...bash, tool: 'edit' }, { args });
  expect(args).toEqual({ filePath: '/a' });
});

it('throws the words of a refusal', async () => {
  const hooks = await plugin(said({ kind: 'refused', text: 'policy-deny: Not this.' }));
  await expect(hooks['tool.execute.before'](bash, { args: {} })).rejects.toThrow(
    'policy-deny: Not this.',
  );
});

describe('throws at everything that is no answer', () => {
  it.each([
    ['nothing', '', 0],
    ['no JSON', 'allow', 0],
    ['JSON that is no answer', '{"decision":"yes"}', 0],
    ['null', 'null', 0],
    ['an answer of a hook that failed', '{"decision":"allow"}', 2],
    ['a command for a tool that has none', '{"decision":"run","command":"x"}', 0],
  ])('%s', async (_name, words, exitCode) => {
    const hooks = await plugin(words, { exitCode });
    await expect(
      hooks['tool.execute.before']({ ...bash, tool: 'edit' }, { args: {} }),
    ).rejects.toThrow();
  });

  it('a yes that does not take the place of a command', async () => {
    const hooks = await plugin(said({ kind: 'allowed' }));
    await expect(hooks['tool.execute.before'](bash, { args: { command: 'x' } })).rejects.toThrow();
  });

  it('a program that is not there', async () => {
    const hooks = await plugin('');
    rmSync(join(folder, 'hook.cjs'));
    await expect(hooks['tool.execute.before'](bash, { args: {} })).rejects.toThrow(
      'interlock doctor',
    );
  });
});

it('asks only about the kinds of tools that were chosen; unknown tools are those of servers', async () => {
  const hooks = await plugin('', { tools: ['mcp'] });
  await hooks['tool.execute.before'](bash, { args: {} });
  await expect(
    hooks['tool.execute.before']({ ...bash, tool: 'docs_search' }, { args: {} }),
  ).rejects.toThrow();
});
