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

/** What every plugin does, whatever its host calls it. */
interface Hooks {
  /** Rejects where the host would not use the tool; `args` is the object that it goes on with. */
  before(tool: string, args: Record<string, unknown>): Promise<void>;
  /** The end of the session. */
  end(): Promise<void>;
  /** Something else that the host tells. */
  idle(): Promise<void>;
}

interface OpenCodeHooks {
  'tool.execute.before'(
    input: { readonly tool: string; readonly sessionID: string; readonly callID: string },
    output: { readonly args: Record<string, unknown> },
  ): Promise<void>;
  event(input: { readonly event: unknown }): Promise<void>;
}

/** Starts the module of a plugin as its host does. */
type Start = (path: string) => Promise<Hooks>;

const asOpenCode: Start = async (path) => {
  const module = (await import(path)) as {
    Interlock: (input: { readonly directory: string }) => Promise<OpenCodeHooks>;
  };
  const hooks = await module.Interlock({ directory: '/home/ada/src' });
  const call = { sessionID: 'ses_1', callID: 'call_1' };
  const told = async (type: string): Promise<void> =>
    hooks.event({ event: { type, properties: { info: { id: 'ses_1' } } } });
  return {
    before: async (tool, args) => hooks['tool.execute.before']({ tool, ...call }, { args }),
    end: async () => told('session.deleted'),
    idle: async () => told('session.idle'),
  };
};

type PiHandler = (event: object, ctx: object) => Promise<{ block?: boolean; reason?: string }>;

const asPi: Start = async (path) => {
  const module = (await import(path)) as { default: (pi: object) => void };
  const handlers = new Map<string, PiHandler>();
  module.default({ on: (event: string, run: PiHandler) => handlers.set(event, run) });
  const ctx = { cwd: '/home/ada/src', sessionManager: { getSessionId: () => 'ses_1' } };
  return {
    before: async (tool, args) => {
      const event = { type: 'tool_call', toolName: tool, toolCallId: 'call_1', input: args };
      const said = await handlers.get('tool_call')?.(event, ctx);
      if (said?.block === true) throw new Error(said.reason);
    },
    end: async () => void (await handlers.get('session_shutdown')?.({}, ctx)),
    idle: async () => void (await handlers.get('agent_end')?.({}, ctx)),
  };
};

describe.each([
  ['opencode', asOpenCode, ['bash']],
  ['kilo', asOpenCode, ['bash', 'background_process']],
  ['pi', asPi, ['bash']],
] as const)('the plugin for %s', (host, start, shells) => {
  interface PluginOptions {
    readonly exitCode?: number;
    readonly tools?: PluginPlan['tools'];
    readonly decideOnly?: true;
  }

  const template = pluginTemplate(packageRoot, `assets/agents/${host}/interlock.js`);
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'il-plugin-')));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const planned = (tools: PluginPlan['tools'] = toolGroups, decideOnly?: true): PluginPlan => ({
    command: {
      node: process.execPath,
      program: join(folder, hookProgramPath),
      host,
      agent: host,
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
    return start(pathToFileURL(join(folder, 'interlock.mjs')).href);
  }

  const said = (outcome: HookOutcome): string =>
    adapterOf(host)?.answer(outcome, { args: { command: 'x' } }).stdout ?? '';

  const heard = (): unknown[] =>
    readFileSync(join(folder, 'heard'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);

  const shellArgs = (command: string) => ({ command, action: 'start' });

  it('is read back as it was planned', () => {
    expect(readPlugin(pluginText(template, planned(['edit'])))).toEqual(planned(['edit']));
    expect(readPlugin(template)).toBeNull();
    expect(readPlugin('const settings = [1];\n')).toBeNull();
  });

  it('tells the hook what the adapter understands', async () => {
    const hooks = await plugin(said({ kind: 'run-instead', command: 'interlock run' }));
    const args = { command: 'ls', description: 'List' };
    await hooks.before('bash', args);
    await hooks.end();
    await hooks.idle();
    expect(heard().map((input) => adapterOf(host)?.read(input).kind)).toEqual([
      'command',
      'session-ended',
    ]);
  });

  it.each(shells)(
    'gives %s the other command, in the very object that it goes on with',
    async (tool) => {
      const hooks = await plugin(said({ kind: 'run-instead', command: 'interlock run' }));
      const args = { ...shellArgs('ls'), timeout: 5 };
      await hooks.before(tool, args);
      expect(args).toEqual({ ...shellArgs('interlock run'), timeout: 5 });
    },
  );

  it.each(shells)('lets %s run as it came where the gate only decides', async (tool) => {
    const args = shellArgs('ls');
    const deciding = await plugin(said({ kind: 'allowed' }), { decideOnly: true });
    await deciding.before(tool, args);
    expect(args).toEqual(shellArgs('ls'));
  });

  it('asks about a tool whatever its name is', async () => {
    const hooks = await plugin(said({ kind: 'refused', text: 'no' }));
    for (const tool of ['constructor', 'toString', '__proto__'])
      await expect(hooks.before(tool, {})).rejects.toThrow('no');
  });

  it('lets pass what the host may do itself', async () => {
    const hooks = await plugin(said({ kind: 'allowed' }));
    const args = { filePath: '/a' };
    await hooks.before('edit', args);
    expect(args).toEqual({ filePath: '/a' });
  });

  it('throws the words of a refusal', async () => {
    const hooks = await plugin(said({ kind: 'refused', text: 'policy-deny: Not this.' }));
    await expect(hooks.before('bash', {})).rejects.toThrow('policy-deny: Not this.');
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
      await expect(hooks.before('edit', {})).rejects.toThrow();
    });

    it.each(shells)('a yes for %s that does not take the place of a command', async (tool) => {
      const hooks = await plugin(said({ kind: 'allowed' }));
      await expect(hooks.before(tool, shellArgs('x'))).rejects.toThrow();
    });

    it('a program that is not there', async () => {
      const hooks = await plugin('');
      rmSync(join(folder, 'hook.cjs'));
      await expect(hooks.before('bash', {})).rejects.toThrow('interlock doctor');
    });
  });

  it('asks only about the kinds of tools that were chosen; unknown tools are those of servers', async () => {
    const hooks = await plugin('', { tools: ['mcp'] });
    await hooks.before('bash', {});
    await expect(hooks.before('docs_search', {})).rejects.toThrow();
  });
});
