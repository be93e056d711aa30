import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { attachSession, captureWindow, tmuxProgram } from '../../runner/boxes/tmux.ts';
import { defaultConfig } from '../../shared/engine/index.ts';
import type { BoxAgent } from '../../shared/engine/index.ts';
import { canBox, home, inBox } from '../runner/boxes/support.ts';
import { startScript } from './support/model/server.ts';
import { claude } from './support/programs/claude.ts';
import { codex } from './support/programs/codex.ts';
import { realProgram } from './support/programs/real-agent.ts';

vi.setConfig({ testTimeout: 240_000 });

/** A program, and what it needs to work without a person in front of it. */
interface Worker {
  readonly name: 'claude' | 'codex';
  readonly agent: (path: string) => BoxAgent;
  readonly environment: (model: string) => Readonly<Record<string, string>>;
  /** Files below its home, which is in memory and empty. */
  readonly files: (model: string, work: string) => Readonly<Record<string, string>>;
}

/** Puts what lies in the workspace into the home folder, and becomes the agent. */
const settled = (...command: readonly string[]): readonly string[] => [
  'sh',
  '-c',
  'cp -r "$PWD/.home/." "$HOME/" && exec "$@"',
  'sh',
  ...command,
];

const workers: readonly Worker[] = [
  {
    name: 'claude',
    agent: (path) => ({
      name: 'claude',
      command: [...settled(path, 'Leave a trace.')],
      key: { secret: 'anthropic', variable: 'ANTHROPIC_API_KEY' },
    }),
    environment: (model) => ({
      ANTHROPIC_BASE_URL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    files: (_model, work) => ({
      '.claude.json': JSON.stringify({
        hasCompletedOnboarding: true,
        theme: 'dark',
        customApiKeyResponses: { approved: ['none'], rejected: [] },
        projects: { [work]: { hasTrustDialogAccepted: true } },
      }),
      '.claude/settings.json': JSON.stringify({ permissions: { allow: ['Bash'] } }),
    }),
  },
  {
    name: 'codex',
    agent: (path) => ({
      name: 'codex',
      command: [...settled(process.execPath, path, '--no-alt-screen', 'Leave a trace.')],
    }),
    environment: () => ({}),
    files: (model, work) => ({
      '.codex/config.toml': `
model = "stand-in"
model_provider = "stand-in"
approval_policy = "never"
sandbox_mode = "danger-full-access"

[model_providers.stand-in]
name = "stand-in"
base_url = "${model}/v1"
wire_api = "responses"
requires_openai_auth = false

[projects."${work}"]
trust_level = "trusted"
`,
    }),
  },
];

/** Writes what the agent first finds in its home, below `.home` of its workspace. */
function furnish(work: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(work, '.home', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

describe.runIf(canBox)('a real agent in a box', () => {
  for (const { name, agent, environment, files } of workers) {
    const known = { claude, codex }[name];
    const found = realProgram(known, process.env);
    if (!found.ok) {
      process.stderr.write(`NOT TESTED: ${name} in a box, because ${found.why}\n`);
      test.skip(`${name} in a box: not tested, because ${found.why}`);
      continue;
    }
    test(`${name} ${known.pin.version} works on while one attaches, and after one has left`, async () => {
      // It goes on where somebody has been there and has left.
      const shell = 'echo begun > first; until [ -e go ]; do sleep 0.1; done; echo over > second';
      const model = await startScript([{ shell }]);
      const template = {
        description: 'an agent with a model on loopback',
        agents: [agent(found.path)],
        sandbox: {
          network: 'full',
          readOnly: [found.path.split('/node_modules/')[0] ?? ''],
          environment: environment(model.address),
        },
      } as const;
      const config = { ...defaultConfig, boxes: { templates: { mine: template } } };
      const { boxes, workspace } = home({
        config: () => config,
        secret: async () => Promise.resolve('none'),
      });
      furnish(workspace, files(model.address, workspace));
      await boxes.up({ name: 'one', templateName: 'mine', workspace });
      const shown = async () =>
        (await inBox(boxes, 'one', tmuxProgram, ...captureWindow(name, 60).slice(1))).text;
      const isThere = (file: string) => existsSync(join(workspace, file));
      await expect
        .poll(async () => isThere('first') || (await shown()), { timeout: 60_000 })
        .toBe(true);
      expect((await boxes.state('one')).attached).toBe(0);
      const [program = '', ...words] = attachSession;
      const client = boxes.exec('one', {
        argv: [program.replace('tmux', tmuxProgram), '-C', ...words],
        takesInput: true,
      });
      await expect.poll(async () => (await boxes.state('one')).attached).toBe(1);
      client.signal('SIGHUP');
      await client.report.closed;
      client.close();
      await expect.poll(async () => (await boxes.state('one')).attached).toBe(0);
      expect(isThere('second')).toBe(false);
      writeFileSync(join(workspace, 'go'), '');
      await expect.poll(() => isThere('second')).toBe(true);
      await expect.poll(() => model.results().length).toBe(1);
      await expect.poll(shown).toContain('done');
      const state = await boxes.state('one');
      expect(state.windows?.map(({ name: window, hasEnded }) => [window, hasEnded])).toEqual([
        [name, false],
        ['shell', false],
      ]);
      expect(await boxes.down('one')).toEqual([]);
      expect(readFileSync(join(workspace, 'first'), 'utf8')).toBe('begun\n');
    });
  }
});
