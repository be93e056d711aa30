import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runBatch } from '../../../runner/cli/check/batch.ts';
import { openBench } from '../../../runner/cli/check/bench.ts';
import type { CheckBody } from '../../../shared/wire/api.ts';
import { cli, temporaryHome } from './support.ts';

let place: ReturnType<typeof temporaryHome>;
let policy: string;

beforeEach(() => {
  place = temporaryHome();
  policy = join(place.folder, 'policy.json');
  writeFileSync(
    policy,
    JSON.stringify({
      version: 1,
      agents: {
        '*': {
          security: 'allowlist',
          allowlist: [
            { id: 'look', pattern: 'ls' },
            { id: 'never', effect: 'deny', pattern: 'rm', args: ['-rf', '...'] },
          ],
        },
        closed: { security: 'deny' },
      },
    }),
  );
});
afterEach(() => place.remove());

const verdictsOf = (out: string): readonly CheckBody[] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as CheckBody);

async function batch(stdin: string, ...flags: readonly string[]) {
  const options = { home: place.home, stdin, cwd: place.folder };
  const result = await cli(options, 'check', '--batch', '--policy', policy, ...flags);
  return { ...result, verdicts: verdictsOf(result.out) };
}

describe('interlock check --batch', () => {
  it('answers one verdict a line, in order, under the ids that were given', async () => {
    const { verdicts, exitCode, err } = await batch(
      [
        { id: 'a', command: 'ls -la' },
        { id: 2, argv: ['rm', '-rf', 'x'] },
        { command: 'cat /etc/hosts' },
        { id: 'closed', command: 'ls', agent: 'closed' },
      ]
        .map((line) => JSON.stringify(line))
        .join('\n'),
    );
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(verdicts.map(({ id, verdict, reason }) => [id, verdict, reason])).toEqual([
      ['a', 'allow', 'rule-allow'],
      [2, 'deny', 'rule-deny'],
      [undefined, 'ask', 'no-rule'],
      ['closed', 'deny', 'security-deny'],
    ]);
    expect(verdicts[0]).toMatchObject({
      host: 'gateway',
      security: 'allowlist',
      ask: 'on-miss',
      analysis: {
        ok: true,
        reason: null,
        stages: [{ argv: ['ls', '-la'], ruleId: 'look', via: [] }],
      },
      risk: { level: 'none', findings: [] },
    });
    expect(verdicts[0]?.canonical).toMatch(/^'?\/\S*\/ls'? '-la'$/u);
  });

  it('judges edits, fetches and tools of servers by rules of their kind', async () => {
    writeFileSync(
      policy,
      JSON.stringify({
        version: 1,
        agents: {
          '*': {
            security: 'allowlist',
            allowlist: [
              { id: 'in', kind: 'edit', pattern: `${place.folder}/**` },
              { id: 'docs', kind: 'fetch', pattern: 'https://docs.example/**' },
              { id: 'issue', kind: 'mcp', pattern: 'github/get_*', tool: 'get' },
            ],
          },
        },
      }),
    );
    const { verdicts } = await batch(
      [
        { kind: 'edit', target: 'a.txt' },
        { kind: 'edit', target: '/etc/hosts' },
        { kind: 'fetch', target: 'https://docs.example/a' },
        { kind: 'fetch', target: 'https://docs.example.evil/a' },
        { kind: 'mcp', target: 'github/get_issue', tool: 'get' },
        { kind: 'mcp', target: 'github/get_issue', tool: 'other' },
        { kind: 'exec', command: 'ls' },
      ]
        .map((line) => JSON.stringify(line))
        .join('\n'),
    );
    expect(verdicts.map(({ verdict }) => verdict)).toEqual([
      'allow',
      'ask',
      'allow',
      'ask',
      'allow',
      'ask',
      'ask',
    ]);
  });

  it.each([
    ['no JSON', 'ls -la'],
    ['an empty line', ''],
    ['not an object', '["ls"]'],
    ['neither command nor argv', '{"id": 1}'],
    ['both command and argv', '{"command": "ls", "argv": ["ls"]}'],
    ['an unknown field', '{"command": "ls", "comand": "rm"}'],
    ['a NUL in a word', String.raw`{"argv": ["ls", "a\u0000b"]}`],
    ['an empty argv', '{"argv": []}'],
    ['a tool without a target', '{"kind": "edit"}'],
    ['a command beside a target', '{"kind": "fetch", "target": "https://x", "command": "ls"}'],
    ['a target without a kind', '{"command": "ls", "target": "/x"}'],
    ['a kind that is none', '{"kind": "egress", "target": "x"}'],
    ['too long', `{"command": "${'x'.repeat(5 * 1024 * 1024)}"}`],
  ])('denies a line with %s and goes on', async (_what, line) => {
    const { verdicts, exitCode } = await batch(`${line}\n{"id": "next", "command": "ls"}\n`);
    expect(exitCode).toBe(0);
    expect(verdicts).toHaveLength(2);
    expect(verdicts[0]).toMatchObject({
      verdict: 'deny',
      reason: 'invalid-request',
      analysis: { ok: false, stages: [] },
      canonical: null,
    });
    expect(verdicts[0]?.message).not.toBe('');
    expect(verdicts[1]).toMatchObject({ id: 'next', verdict: 'allow' });
  });

  it('looks commands up in other folders with --path', async () => {
    const bin = join(place.folder, 'bin');
    mkdirSync(bin);
    symlinkSync('/bin/true', join(bin, 'ls'));
    const { verdicts } = await batch('{"command": "ls"}', '--path', bin);
    expect(verdicts[0]?.verdict).toBe('ask');
    expect(verdicts[0]?.analysis.stages[0]?.resolvedPath).not.toMatch(/\/ls$/u);
  });

  it('looks at the machine once for lines that come together, and anew for what comes later', async () => {
    const bin = join(place.folder, 'bin');
    mkdirSync(bin);
    const io = {
      env: { ...process.env, INTERLOCK_HOME: place.home },
      now: Date.now,
      cwd: () => place.folder,
    };
    const opened = await openBench({ policy, path: bin }, io);
    let looks = 0;
    const look: typeof opened.engine.look = () => {
      looks += 1;
      return opened.engine.look();
    };
    const line = '{"command": "ls"}\n';
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    const done = runBatch({ ...opened, engine: { ...opened.engine, look } }, { stdin, stdout });
    stdin.write(line.repeat(3));
    const [first] = (await once(stdout, 'data')) as [Buffer];
    symlinkSync('/bin/ls', join(bin, 'ls'));
    stdin.end(line);
    const [second] = (await once(stdout, 'data')) as [Buffer];
    await done;
    const out = `${first.toString()}${second.toString()}`;
    const paths = verdictsOf(out).map(({ analysis }) => analysis.stages[0]?.resolvedPath ?? null);
    expect(paths).toEqual([null, null, null, expect.stringMatching(/ls$/u)]);
    expect(looks).toBe(2);
  });

  it('denies every line under a policy that is not valid', async () => {
    writeFileSync(policy, '{ "version": 2 }');
    const { verdicts, exitCode } = await batch('{"id": 1, "command": "ls"}\n{"command": "ls"}');
    expect(exitCode).toBe(0);
    expect(verdicts.map(({ id, verdict, reason }) => [id, verdict, reason])).toEqual([
      [1, 'deny', 'config-invalid'],
      [undefined, 'deny', 'config-invalid'],
    ]);
  });
});

describe('interlock check', () => {
  it.each([
    [['--', 'ls', '-la'], 'ALLOW  rule-allow', 0],
    [['--', 'rm', '-rf', '/tmp/x'], 'DENY  rule-deny', 126],
    [['-c', 'cat /etc/hosts'], 'ASK  no-rule', 1],
  ])('says what would happen to %j', async (words, sentence, status) => {
    const flags = ['check', '--policy', policy];
    const told = await cli({ home: place.home }, ...flags, ...words);
    expect(told.out).toContain(sentence);
    expect(told.exitCode).toBe(0);
    const asStatus = await cli({ home: place.home }, ...flags, '--exit-code', ...words);
    expect(asStatus.exitCode).toBe(status);
  });

  it.each([
    [
      'echo one',
      'ALLOW  rule-allow: It needs no rule. It only prints its words.',
      'echo one → built into the shell: It only prints its words.',
    ],
    [
      'cd . && pwd',
      'ALLOW  rule-allow: No part of this command needs a rule.',
      'pwd → built into the shell: It only prints the folder.',
    ],
    [
      'A=b; ls $A',
      'ALLOW  rule-allow: Rules allow every part of this command that needs one.',
      'A=b → built into the shell: It only sets a variable for the rest of the command.',
    ],
    ['ls', 'ALLOW  rule-allow: A rule allows this command.', '/ls: rule look'],
    ['ls | ls', 'ALLOW  rule-allow: Rules allow every part of this command.', '/ls: rule look'],
    [
      'echo one > file',
      'ASK  no-rule: No rule lets echo write to',
      'echo one → built into the shell: No rule lets echo write to',
    ],
    ['nosuch', 'ASK  no-rule: No program called nosuch was found.', 'nosuch → not found: no rule'],
  ])('says truly why %j is decided so', async (command, verdict, stage) => {
    const options = { home: place.home, cwd: place.folder };
    const { out } = await cli(options, 'check', '--policy', policy, '-c', command);
    expect(out).toContain(verdict);
    expect(out).toContain(stage);
  });

  it('prints the same verdict as JSON', async () => {
    const { out } = await cli(
      { home: place.home },
      'check',
      '--policy',
      policy,
      '--json',
      '--',
      'ls',
    );
    expect(JSON.parse(out)).toMatchObject({ verdict: 'allow', reason: 'rule-allow' });
  });

  it('says what to do when there is no policy at all', async () => {
    const { exitCode, err } = await cli({ home: place.home }, 'check', '--', 'ls');
    expect(exitCode).toBe(125);
    expect(err).toContain('interlock init');
  });
});

it('says of what would run in the sandbox unasked what only the runner sees', async () => {
  mkdirSync(place.home, { mode: 0o700 });
  const config = { version: 1, exec: { host: 'auto', workspaces: [place.folder] } };
  writeFileSync(join(place.home, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  const options = { home: place.home, cwd: place.folder };
  copyFileSync(policy, join(place.home, 'exec-approvals.json'));
  chmodSync(join(place.home, 'exec-approvals.json'), 0o600);
  const { out } = await cli(options, 'check', '--', 'wc', '-c', '/dev/null');
  expect(out).toMatch(/^ALLOW {2}sandbox-unasked/u);
  expect(out).toContain('the workspace cannot be kept for undo, the runner asks');
});
