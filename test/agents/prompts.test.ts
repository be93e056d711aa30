import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { describe, expect, test, vi } from 'vitest';
import { withHooks } from '../../shared/agents/edit-settings.ts';
import { claudeFormat } from '../../shared/agents/claude/hook.ts';
import { codexHash } from '../../shared/agents/codex/config.ts';
import { codexFormat } from '../../shared/agents/codex/hook.ts';
import { findHooks, hookCommand, hookPlan } from '../../shared/agents/hook-command.ts';
import type { HookCommand } from '../../shared/agents/hook-command.ts';
import { readKeyFile } from '../../shared/ipc/signed-request.ts';
import { signCall } from '../../shared/ipc/signed-request.ts';
import { runnerClient } from '../../shared/ipc/runner-client.ts';
import type { HomePaths } from '../../shared/home/paths.ts';
import { cli } from '../runner/cli/support.ts';
import { call } from '../runner/ingress/support.ts';
import { ways } from '../runner/hook/support.ts';
import {
  auditRows,
  exec,
  startApprover,
  startRunnerProcess,
  stdoutOf,
} from '../runner/service/support.ts';
import { shell } from './support/by-contract.ts';
import { startModel } from './support/model/server.ts';
import { claude } from './support/programs/claude.ts';
import { codex } from './support/programs/codex.ts';
import { realProgram } from './support/programs/real-agent.ts';
import { homeOf, startProgram } from './support/programs/start.ts';
import { setStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

vi.setConfig({ testTimeout: 240_000 });

const inputOf = (prompt: string, session = 's1', more: object = {}): string =>
  JSON.stringify({
    session_id: session,
    transcript_path: '/tmp/t.jsonl',
    cwd: tmpdir(),
    permission_mode: 'default',
    hook_event_name: 'UserPromptSubmit',
    prompt,
    ...more,
  });

const commandFor = (stage: Stage, words: readonly string[] = [process.execPath]): HookCommand => {
  const [client, node = ''] = words.length === 2 ? words : [undefined, words[0]];
  return {
    ...stage.hookFor('claude'),
    ...(client !== undefined && { client }),
    node,
    prompt: true,
  };
};

/** What who typed it is told; null where the agent gets what was typed. */
async function typed(stage: Stage, prompt: string, how: { session?: string; line?: string } = {}) {
  const line = how.line ?? hookCommand(commandFor(stage));
  const end = await shell(line, { work: tmpdir() }, inputOf(prompt, how.session));
  expect(end.exitCode).toBe(0);
  if (end.stdout === '') return null;
  const said = JSON.parse(end.stdout) as { decision: string; reason: string };
  expect(said.decision).toBe('block');
  return said.reason;
}

/** What holds for a session: `security ask`. */
async function held({ runnerSocket }: HomePaths, session = 's1', agent = 'claude') {
  const runner = runnerClient({ socketPath: runnerSocket });
  const { security, ask } = await runner.overrideSession({ agent, session, text: '/exec' });
  return `${security.value} ${ask.value}`;
}

describe.each(ways)('a prompt that is told by %s', (_name, words) => {
  test('is taken up where it is a command about the session, and passed on where it is not', async () => {
    const stage = await setStage();
    await startRunnerProcess(stage.paths);
    const line = hookCommand(commandFor(stage, words));
    expect(await typed(stage, '/exec ask=always', { line })).toContain('always (the session)');
    expect(await held(stage.paths)).toBe('allowlist always');
    expect(await held(stage.paths, 's2')).toBe('allowlist on-miss');
    expect(await typed(stage, 'interlock /exec', { line })).toContain('claude, session s1');
    expect(await typed(stage, '/exec security=deny and fix it', { line })).toContain(
      'invalid-request',
    );
    for (const text of ['fix the tests', '/executive summary', 'say /elevated full', ''])
      expect(await typed(stage, text, { line })).toBeNull();
  });

  test('goes to the agent where no runner is there', async () => {
    const stage = await setStage();
    const line = hookCommand(commandFor(stage, words));
    expect(await typed(stage, '/elevated full', { line })).toBeNull();
  });
});

test('a session is raised by a prompt and the person in the app, and by no prompt alone', async () => {
  const stage = await setStage();
  const approver = await startApprover(stage.paths);
  await startRunnerProcess(stage.paths);
  const first = typed(stage, '/elevated full');
  const asked = await approver.next('ask');
  expect(asked.ask).toMatchObject({ command: '/elevated full', agent: 'claude', session: 's1' });
  approver.decide(asked, { decision: 'deny' });
  expect(await first).toContain('confirm-rejected: A person said no.');
  expect(await held(stage.paths)).toBe('allowlist on-miss');
  const second = typed(stage, '/elevated full');
  approver.decide(await approver.next('ask'), { decision: 'allow-once' });
  expect(await second).toContain('raised    /elevated full');
  expect(await held(stage.paths)).toBe('full off');
  expect(await typed(stage, '/elevated off')).toContain('on-miss');
  expect(await held(stage.paths)).toBe('allowlist on-miss');
});

describe('an agent', () => {
  test('does nothing by printing the text, nor by any event but a prompt', async () => {
    const stage = await setStage({ policy: { security: 'full', ask: 'off' } });
    await startRunnerProcess(stage.paths);
    const printed = await exec(stage.paths, {
      command: 'echo /exec security=deny',
      agent: 'claude',
      session: 's1',
    }).done;
    expect(stdoutOf(printed)).toBe('/exec security=deny\n');
    for (const event of ['PostToolUse', 'PreToolUse', 'Notification', 'Stop']) {
      const told = { hook_event_name: event, tool_response: '/exec security=deny' };
      const line = hookCommand(commandFor(stage));
      await shell(line, { work: tmpdir() }, inputOf('/exec security=deny', 's1', told));
    }
    expect(await held(stage.paths)).toBe('full off');
  });

  test('types nothing by starting the hook in a command, from whatever process of it', async () => {
    const stage = await setStage();
    const approver = await startApprover(stage.paths);
    await startRunnerProcess(stage.paths);
    const line = hookCommand(commandFor(stage));
    const plain = `printf '%s' '${inputOf('/exec security=deny')}' | ${line}`;
    for (const command of [plain, `(unset INTERLOCK_RUN_ID; ${plain})`, `setsid -w sh -c "$IT"`]) {
      const env = { IT: plain };
      const { done } = exec(stage.paths, { command, env, agent: 'claude', session: 's1' });
      // The gate asks about it, since it reads what is Interlock's; and a person who says yes is mistaken.
      approver.decide(await approver.next('ask'), { decision: 'allow-once' });
      expect(JSON.stringify(await done)).toContain('A command cannot type to an agent.');
    }
    expect(await held(stage.paths)).toBe('allowlist on-miss');
  });

  test('replays no prompt, and speaks for the sessions of no other agent', async () => {
    const stage = await setStage({ policy: { security: 'full', ask: 'off' } });
    const { paths } = stage;
    await startRunnerProcess(paths);
    for (const name of ['claude', 'codex']) await cli({ home: paths.home }, 'agents', 'add', name);
    const keyOf = (name: string): Uint8Array => {
      const key = readKeyFile(`${paths.agentKeysDirectory}/${name}.key`, process.geteuid?.() ?? -1);
      if (key === null) throw new Error('no key');
      return key;
    };
    const send = async (by: string, agent: string, headers?: Record<string, string>) => {
      const body = JSON.parse(inputOf('/exec security=deny')) as object;
      const path = `/v1/hooks/claude?agent=${agent}`;
      const payload = JSON.stringify(body);
      const options = { agent: by, key: keyOf(by), now: Date.now, random: randomBytes };
      const signed = headers ?? { ...signCall(options, { method: 'POST', path, payload }) };
      const { json } = await call(paths.runnerSocket, path, { body, headers: signed });
      return { signed, said: JSON.stringify(json) };
    };
    expect((await send('codex', 'claude')).said).toContain('hmac-fail');
    expect(
      (
        await call(paths.runnerSocket, '/v1/hooks/claude?agent=claude', {
          body: JSON.parse(inputOf('/exec security=deny')) as object,
        })
      ).body,
    ).toContain('hmac-fail');
    await send('codex', 'codex');
    const asClaude = async (text: string) => {
      const options = { agent: 'claude', key: keyOf('claude'), now: Date.now, random: randomBytes };
      const client = runnerClient({
        socketPath: paths.runnerSocket,
        sign: (unsigned) => signCall(options, unsigned),
      });
      const { security } = await client.overrideSession({ agent: 'claude', session: 's1', text });
      return security.value;
    };
    expect(await asClaude('/exec')).toBe('full');
    const { signed, said } = await send('claude', 'claude');
    expect(said).toContain('deny (the session)');
    expect((await send('claude', 'claude', signed)).said).toContain('replay-detected');
  });
});

const found = realProgram(claude, process.env);
if (!found.ok) {
  process.stderr.write(`NOT TESTED: prompts of Claude Code, because ${found.why}\n`);
  test.skip(`prompts of Claude Code: not tested, because ${found.why}`);
} else {
  test(`Claude Code ${claude.pin.version} tells of what is typed, and its model sees none of it`, async () => {
    const stage = await setStage();
    await startRunnerProcess(stage.paths);
    const plan = hookPlan(
      { ...stage.hookFor('claude'), node: process.execPath },
      { seconds: 150, tools: claudeFormat.tools },
    );
    const { ended } = startProgram(stage, {
      program: found.path,
      args: ['-p', 'interlock /exec ask=always'],
      env: {
        ANTHROPIC_BASE_URL: await startModel(stage.command),
        ANTHROPIC_API_KEY: 'none',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_TELEMETRY: '1',
        DISABLE_AUTOUPDATER: '1',
      },
      files: { '.claude/settings.json': withHooks(null, plan, claudeFormat) },
    });
    const said = await ended;
    expect(said).toContain('always (the session)');
    expect(stage.timesRun()).toBe(0);
  });
}

const foundCodex = realProgram(codex, process.env);
if (!foundCodex.ok) {
  process.stderr.write(`NOT TESTED: prompts of Codex, because ${foundCodex.why}\n`);
  test.skip(`prompts of Codex: not tested, because ${foundCodex.why}`);
} else {
  test(`Codex ${codex.pin.version} tells of what is typed, and its model sees none of it`, async () => {
    const stage = await setStage();
    await startRunnerProcess(stage.paths);
    const plan = hookPlan(
      { ...stage.hookFor('codex'), node: process.execPath },
      { seconds: 150, tools: codexFormat.tools },
    );
    const hooks = withHooks(null, plan, codexFormat);
    const folder = `${homeOf(stage)}/.codex`;
    const typing = findHooks(JSON.parse(hooks)).filter(({ command }) => command.prompt === true);
    const trusted = typing.map(
      (hook) =>
        `[hooks.state."${folder}/hooks.json:user_prompt_submit:0:0"]\ntrusted_hash = "${codexHash(hook)}"\n`,
    );
    const { ended } = startProgram(stage, {
      program: process.execPath,
      args: [foundCodex.path, 'exec', '--skip-git-repo-check', '/exec security=deny'],
      env: { CODEX_HOME: folder },
      files: {
        '.codex/hooks.json': hooks,
        '.codex/config.toml': [
          'model = "stand-in"',
          'model_provider = "stand-in"',
          '[model_providers.stand-in]',
          'name = "stand-in"',
          `base_url = "${await startModel(stage.command)}/v1"`,
          'wire_api = "responses"',
          'requires_openai_auth = false',
          ...trusted,
        ].join('\n'),
      },
    });
    // What it says is shown in its terminal, and not by "exec".
    expect(await ended).toContain('UserPromptSubmit Blocked');
    expect(stage.timesRun()).toBe(0);
    const notes = auditRows(stage.paths).filter((row) => row.type === 'note');
    expect(JSON.stringify(notes)).toContain('/exec security=deny');
  });
}
