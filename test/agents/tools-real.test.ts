import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { auditRows, startRunnerProcess } from '../runner/service/support.ts';
import { startScript } from './support/model/server.ts';
import type { Step } from './support/model/server.ts';
import { claude } from './support/programs/claude.ts';
import { codex } from './support/programs/codex.ts';
import { gemini } from './support/programs/gemini.ts';
import { opencode } from './support/programs/opencode.ts';
import { realProgram } from './support/programs/real-agent.ts';
import type { Known, Launch } from './support/programs/real-agent.ts';
import { setStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';
import type { AgentPolicy } from '../../shared/engine/policy/types.ts';

vi.setConfig({ testTimeout: 600_000 });

interface Played {
  readonly stage: Stage;
  readonly results: readonly string[];
  readonly said: string;
  /** Of each decision: what kind, and what was decided. */
  readonly decided: readonly string[];
}

interface Play {
  readonly policy: AgentPolicy;
  readonly steps: (stage: Stage) => readonly Step[];
  readonly how?: Partial<Launch>;
}

async function play(of: Known, program: string, { policy, steps, how }: Play): Promise<Played> {
  const stage = await setStage({ policy });
  await startRunnerProcess(stage.paths);
  stage.tap.handAll();
  const model = await startScript(steps(stage));
  const said = await of.launch(program, stage, { model: model.address, gated: true, ...how }).ended;
  const decided = auditRows(stage.paths).flatMap((row) =>
    row.type === 'decision' ? [`${row.decision} ${row.kind} ${row.code}`] : [],
  );
  return { stage, results: model.results(), said, decided };
}

/** Tests with a real program; one loud line where it cannot be had. */
function withReal(
  of: Known,
  tests: Readonly<Record<string, (program: string) => Promise<void>>>,
): void {
  const found = realProgram(of, process.env);
  if (!found.ok) process.stderr.write(`NOT TESTED: tools of ${of.host}, because ${found.why}\n`);
  describe(`${of.pin.name} ${of.pin.version}`, () => {
    for (const [name, run] of Object.entries(tests))
      if (found.ok) test(name, async () => run(found.path));
      else test.skip(`${name}: not tested, because ${found.why}`);
  });
}

const notebook = JSON.stringify({
  cells: [
    { cell_type: 'code', id: 'one', source: '1', metadata: {}, outputs: [], execution_count: null },
  ],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
});

function notebookSteps(stage: Stage): readonly Step[] {
  const notebook_path = join(stage.work, 'a.ipynb');
  writeFileSync(notebook_path, notebook);
  return [
    { tool: 'Read', input: { file_path: notebook_path } },
    { tool: 'NotebookEdit', input: { notebook_path, cell_id: 'one', new_source: '2' } },
  ];
}

/** A page on loopback, and how often it was asked for. */
async function startPage(): Promise<{ readonly address: string; readonly asked: () => number }> {
  let count = 0;
  const server = createServer((_request, response) => {
    count += 1;
    response.end('the words of the page');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  return { address, asked: () => count };
}

withReal(claude, {
  'an edit of a notebook is an edit: refused without a rule, made with one': async (path) => {
    const how = { words: ['--permission-mode', 'acceptEdits'] };
    const without = await play(claude, path, { policy: { ask: 'off' }, steps: notebookSteps, how });
    expect(without.decided, without.said).toEqual(['deny edit policy-deny']);
    expect(readFileSync(join(without.stage.work, 'a.ipynb'), 'utf8')).toBe(notebook);
    const policy = { ask: 'off', allowlist: [{ id: 'r1', kind: 'edit', pattern: '**' }] } as const;
    const made = await play(claude, path, { policy, steps: notebookSteps, how });
    expect(made.decided, made.said).toEqual(['allow edit rule-allow']);
    expect(readFileSync(join(made.stage.work, 'a.ipynb'), 'utf8')).toMatch(/"source": ?"2"/);
  },
  'only its commands behind the gate: edits are its own': async (path) => {
    const steps = (stage: Stage): readonly Step[] => [
      ...notebookSteps(stage),
      { shell: stage.command },
    ];
    const how = { words: ['--permission-mode', 'acceptEdits'], tools: ['shell'] as const };
    const { stage, decided, said } = await play(claude, path, {
      policy: { ask: 'off' },
      steps,
      how,
    });
    expect(decided, said).toEqual(['deny exec policy-deny']);
    expect(readFileSync(join(stage.work, 'a.ipynb'), 'utf8')).toMatch(/"source": ?"2"/);
  },
  'a fetch that a rule allows is left to it': async (path) => {
    const url = 'https://docs.example.invalid/';
    const { decided, said, results } = await play(claude, path, {
      policy: {
        ask: 'off',
        allowlist: [{ id: 'r1', kind: 'fetch', pattern: 'https://docs.example.invalid/**' }],
      },
      steps: () => [{ tool: 'WebFetch', input: { url, prompt: 'What is there?' } }],
      how: { words: ['--allowedTools', 'WebFetch'] },
    });
    expect(decided, said).toEqual(['allow fetch rule-allow']);
    // It asks its vendor about the address first, which is not to be had here.
    expect(results[0]).toMatch(/^Unable to verify if domain docs\.example\.invalid/);
  },
});

/** What the tool of a host makes of a page on loopback: Gemini CLI itself takes none from there. */
const fetching: readonly (readonly [Known, (url: string) => Step, RegExp])[] = [
  [
    opencode,
    (url) => ({ tool: 'webfetch', input: { url, format: 'text' } }),
    /the words of the page/,
  ],
  [gemini, (url) => ({ tool: 'web_fetch', input: { prompt: `Sum up ${url}` } }), /Blocked Host/],
];
for (const [of, step, fetched] of fetching)
  withReal(of, {
    'a fetch is made where a rule allows it, and not where none does': async (path) => {
      const page = await startPage();
      const steps = (): readonly Step[] => [step(page.address)];
      const without = await play(of, path, { policy: { ask: 'off' }, steps });
      expect(without.decided, without.said).toEqual(['deny fetch policy-deny']);
      expect(page.asked()).toBe(0);
      const allowlist = [{ id: 'r1', kind: 'fetch', pattern: `${page.address}**` }] as const;
      const made = await play(of, path, { policy: { ask: 'off', allowlist }, steps });
      expect(made.decided, made.said).toEqual(['allow fetch rule-allow']);
      expect(made.results[0]).toMatch(fetched);
    },
    'only its commands behind the gate: fetches are its own': async (path) => {
      const page = await startPage();
      const steps = (stage: Stage): readonly Step[] => [
        step(page.address),
        { shell: stage.command },
      ];
      const how = { tools: ['shell'] as const };
      const { decided, said, results } = await play(of, path, {
        policy: { ask: 'off' },
        steps,
        how,
      });
      expect(decided, said).toEqual(['deny exec policy-deny']);
      expect(results[0]).toMatch(fetched);
    },
  });

withReal(codex, {
  'input for a command that runs reaches nothing behind the runner': async (path) => {
    const { results, said, decided } = await play(codex, path, {
      policy: { security: 'full', ask: 'off' },
      steps: () => [
        {
          shell: 'read line; echo "got:$line"; touch ran.txt; sleep 4',
          more: { tty: true, yield_time_ms: 250 },
        },
        (before) => ({
          tool: 'write_stdin',
          input: {
            session_id: Number(/session ID (\d+)/.exec(before[0] ?? '')?.[1]),
            chars: 'typed\n',
            yield_time_ms: 8000,
          },
        }),
      ],
    });
    expect(decided, said).toEqual(['allow exec security-full']);
    expect(results[0]).toMatch(/running with session ID/);
    expect(results.join('')).toMatch(/got:\s/);
    expect(results.join('')).not.toMatch(/got:typed/);
  },
  'a tool of an MCP server is used where a rule allows it, and not where none does': async (
    path,
  ) => {
    const server = join(import.meta.dirname, '../fixtures/agents/mcp-server.mjs');
    const words = [
      '-c',
      `mcp_servers.notes.command="${process.execPath}"`,
      '-c',
      `mcp_servers.notes.args=["${server}"]`,
    ];
    const steps = (): readonly Step[] => [
      { tool: 'keep', namespace: 'mcp__notes', input: { text: 'a note' } },
    ];
    const without = await play(codex, path, { policy: { ask: 'off' }, steps, how: { words } });
    expect(without.decided, without.said).toEqual(['deny mcp policy-deny']);
    const allowlist = [{ id: 'r1', kind: 'mcp', pattern: 'notes/keep' }] as const;
    const made = await play(codex, path, {
      policy: { ask: 'off', allowlist },
      steps,
      how: { words },
    });
    expect(made.decided, made.said).toEqual(['allow mcp rule-allow']);
    expect(made.results[0]).toContain('kept: a note');
    expect(without.results[0]).not.toContain('kept');
  },
});
