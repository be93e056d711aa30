import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { program } from '../runner/ingress/mcp/support.ts';
import { startApprover, startRunnerProcess } from '../runner/service/support.ts';
import { startModel } from './support/model/server.ts';
import { codex } from './support/programs/codex.ts';
import { realProgram } from './support/programs/real-agent.ts';
import { homeOf } from './support/programs/start.ts';
import { setStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

vi.setConfig({ testTimeout: 240_000 });

const found = realProgram(codex, process.env);

interface Frame {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
}

/** A client of the real app-server behind the gate: starts one turn, and hears what reaches it. */
async function oneTurn(stage: Stage, path: string): Promise<readonly Frame[]> {
  const folder = join(homeOf(stage), '.codex');
  mkdirSync(folder, { recursive: true });
  const model = await startModel(stage.command);
  writeFileSync(
    join(folder, 'config.toml'),
    `model = "stand-in"
model_provider = "stand-in"
[model_providers.stand-in]
name = "stand-in"
base_url = "${model}/v1"
wire_api = "responses"
requires_openai_auth = false
`,
  );
  const [node, script] = program;
  const child = spawn(node, [script, 'app-server', '--', node, path, 'app-server'], {
    cwd: stage.work,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: homeOf(stage),
      CODEX_HOME: folder,
      INTERLOCK_HOME: stage.paths.home,
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const send = (frame: object): void => void child.stdin.write(`${JSON.stringify(frame)}\n`);
  const frames: Frame[] = [];
  send({
    id: 1,
    method: 'initialize',
    params: { clientInfo: { name: 'test', title: null, version: '1' } },
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const frame = JSON.parse(line) as Frame;
    frames.push(frame);
    if (frame.id === 1) {
      send({ method: 'initialized' });
      const params = {
        cwd: stage.work,
        approvalPolicy: 'untrusted',
        sandbox: 'danger-full-access',
      };
      send({ id: 2, method: 'thread/start', params });
    } else if (frame.id === 2) {
      const { thread } = frame.result as { readonly thread: { readonly id: string } };
      const input = [{ type: 'text', text: 'Leave a trace.', text_elements: [] }];
      send({ id: 3, method: 'turn/start', params: { threadId: thread.id, input } });
    } else if (frame.method === 'turn/completed') break;
  }
  return frames;
}

if (!found.ok) {
  process.stderr.write(`NOT TESTED: Codex's app-server, because ${found.why}\n`);
  test.skip(`Codex's app-server: not tested, because ${found.why}`);
} else {
  describe(`the app-server of Codex ${codex.pin.version}`, () => {
    const approvals = (frames: readonly Frame[]): readonly Frame[] =>
      frames.filter(({ method }) => method?.endsWith('requestApproval') === true);

    test('a yes of a person lets Codex run the command, and its client is not asked', async () => {
      const stage = await setStage();
      const approver = await startApprover(stage.paths);
      await startRunnerProcess(stage.paths);
      const turn = oneTurn(stage, found.path);
      const asked = await approver.next('ask');
      expect(asked.ask.command).toContain(stage.command);
      expect(asked.ask.cwd).toBe(stage.work);
      approver.decide(asked, { decision: 'allow-once' });
      expect(approvals(await turn)).toEqual([]);
      expect(stage.timesRun()).toBe(1);
      expect(stage.recorded()[0]).toBe('allow allow-once by person');
    });

    test('a no: nothing runs', async () => {
      const stage = await setStage();
      const approver = await startApprover(stage.paths);
      await startRunnerProcess(stage.paths);
      const turn = oneTurn(stage, found.path);
      approver.decide(await approver.next('ask'), { decision: 'deny' });
      expect(approvals(await turn)).toEqual([]);
      expect(stage.timesRun()).toBe(0);
      expect(stage.recorded()).toEqual(['deny confirm-rejected by person']);
    });

    test('no runner: nothing runs', async () => {
      const stage = await setStage();
      expect(approvals(await oneTurn(stage, found.path))).toEqual([]);
      expect(stage.timesRun()).toBe(0);
    });
  });
}
