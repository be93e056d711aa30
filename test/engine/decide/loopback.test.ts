import { describe, expect, it } from 'vitest';
import { createEngine } from '../../../shared/engine/engine.ts';
import { defaultConfig } from '../../../shared/engine/config.ts';
import type { SessionBox } from '../../../shared/engine/index.ts';
import type { Rule } from '../../../shared/engine/policy/types.ts';
import { loadGrammar } from '../../../shared/home/machine.ts';
import { machine } from '../../support/machine.ts';
import { cwd } from '../../support/stages.ts';

interface Around {
  readonly rules?: readonly Omit<Rule, 'id'>[];
  /** TCP ports on which something listens on this machine, and in the box of the session. */
  readonly here?: readonly number[];
  readonly box?: { readonly ports?: readonly number[]; readonly pids?: readonly number[] };
  readonly network?: 'none' | 'restricted' | 'full';
  readonly security?: 'full';
  readonly wanted?: 'sandbox';
  readonly unkept?: string;
}

const boxOf = ({ ports = [], pids = [] }: NonNullable<Around['box']>): SessionBox => ({
  ports: () => new Set(ports),
  has: (pid) => pids.includes(pid),
});

async function outcome(command: string, around: Around = {}): Promise<string> {
  const { rules = [], here = [], box, network = 'none', security = 'allowlist', ...rest } = around;
  const files = ['package.json', 'test.js', '.env', '.git/HEAD'];
  const engine = createEngine(
    {
      ...machine(Object.fromEntries(files.map((path) => [`${cwd}/${path}`, 'x\n']))),
      known: () => [],
      grammar: loadGrammar,
      hashFile: () => null,
      now: () => 0,
      isServedHere: (port) => here.includes(port),
    },
    () => ({
      ...defaultConfig,
      exec: { ...defaultConfig.exec, host: 'auto' },
      sandbox: { ...defaultConfig.sandbox, network },
    }),
  );
  const allowlist = rules.map((rule, index) => ({ ...rule, id: `r${index}` }));
  const situation = await engine.situation({
    agent: 'claude',
    document: {
      version: 1,
      agents: { '*': { security, ask: 'on-miss', allowlist } },
    },
    request: { command, cwd },
  });
  const { decision, host, reason } = engine.decide({
    ...situation,
    ...rest,
    ...(box !== undefined && { box: boxOf(box) }),
  });
  return `${decision} ${host} ${reason}`;
}

const inside = 'allow sandbox sandbox-unasked';
const byRule = 'allow gateway rule-allow';
const asked = 'ask gateway no-rule';
const any = (pattern: string): Omit<Rule, 'id'> => ({ pattern, args: ['...'] });

describe('an address of the own loopback, without a rule', () => {
  it.each([
    ['curl -s localhost:3000/api', 3000],
    ['curl http://127.0.0.1:8080', 8080],
    ['curl localhost', 80],
    ['wget -qO- http://app.localhost:5173/', 5173],
    ["psql -h localhost -c 'select 1'", 5432],
    ["psql -h 127.0.0.1 -p 5433 -c 'select 1'", 5433],
  ])('is asked about for this machine only where it serves it: %s', async (command, port) => {
    expect(await outcome(command, { here: [port] })).toBe(asked);
    expect(await outcome(command, { here: [port + 1] })).toBe(inside);
    expect(await outcome(command, { here: [port], box: { ports: [port] } })).toBe(inside);
    expect(await outcome(command, { here: [port], box: { ports: [port + 1] } })).toBe(asked);
  });

  it('is this machine’s own where the sandbox has its network', async () => {
    expect(await outcome('curl localhost:3000', { network: 'full' })).toBe(asked);
    const box = { ports: [3000] };
    expect(await outcome('curl localhost:3000', { network: 'full', box })).toBe(asked);
    expect(await outcome('curl localhost:3000', { network: 'restricted', box })).toBe(inside);
  });

  it.each([
    'curl -x 127.0.0.1:3128 localhost:3000',
    'curl -L localhost:3000',
    'curl --connect-to ::example.com: localhost:3000',
    'curl -sKx localhost:3000',
    'CURL_HOME=. curl localhost:3000',
    'wget localhost:3000',
    'curl localhost:3001',
  ])(
    'may lead to what a filtered network allows, and is asked about there: %s',
    async (command) => {
      const box = { ports: [3000] };
      expect(await outcome(command, { network: 'restricted', box })).toMatch(/^ask /);
      expect(await outcome('curl -sS localhost:3000/x', { network: 'restricted', box })).toBe(
        inside,
      );
    },
  );

  it.each([
    'curl localhost:3000 https://example.com',
    'curl http://localhost:3000@example.com/',
    'curl -o /etc/motd localhost:3000',
    'curl -d @.env localhost:3000',
    'curl localhost:3000 && docker ps',
    "psql -h localhost -p 3000 -c 'drop table users'",
    'ssh localhost -p 3000',
  ])('does not take along what else a command does: %s', async (command) => {
    expect(await outcome(command, { box: { ports: [3000] } })).toMatch(/^ask gateway /);
  });

  it('is found in text that is not understood, too', async () => {
    const loop = 'for i in 1 2 3; do curl -s localhost:3000 && break; sleep $i; done';
    expect(await outcome(loop, { here: [3000] })).toBe(asked);
    expect(await outcome(loop, { here: [3000], box: { ports: [3000] } })).toBe(inside);
  });
});

describe('what rules allow on this machine', () => {
  const rules = [any('curl'), any('npm'), any('node'), any('psql'), any('git')];
  const box = { ports: [3000] };

  it('runs in the sandbox of its session where it talks to what goes on there', async () => {
    expect(await outcome('curl localhost:3000', { rules, here: [3000] })).toBe(byRule);
    expect(await outcome('curl localhost:3000', { rules, here: [3000], box })).toBe(inside);
    expect(await outcome('curl localhost:3001', { rules, box })).toBe(byRule);
    expect(await outcome('curl https://example.com', { rules, box })).toBe(byRule);
    expect(await outcome('git status', { rules, box })).toBe(byRule);
  });

  it('and so does a project’s own code, whose addresses nobody sees, while something is served there', async () => {
    expect(await outcome('npm test', { rules, box })).toBe(inside);
    expect(await outcome('npm test', { rules, box: { pids: [7] } })).toBe(byRule);
    expect(await outcome('npm test', { rules })).toBe(byRule);
    expect(await outcome('npm publish', { rules, box })).not.toBe(inside);
  });

  it.each<[string, Partial<Around>]>([
    ['names this machine', { rules: [{ ...any('curl'), host: 'gateway' }] }],
    ['was granted for a while', { rules: [{ ...any('curl'), source: 'grant' }] }],
    ['cannot be taken back there', { rules, unkept: 'the disk is full' }],
    ['has the network of this machine', { rules, network: 'full' }],
  ])('stays on this machine where it %s', async (_, around) => {
    expect(await outcome('curl localhost:3000', { ...around, box })).toBe(byRule);
  });

  it('is no looser than without: what the sandbox would have asked about is as it was', async () => {
    expect(await outcome('curl -d @.env localhost:3000', { rules, box })).toMatch(/gateway/);
    const full = await outcome('curl localhost:3000', { security: 'full', box });
    expect(full).toBe('allow gateway security-full');
    const denied = [{ ...any('curl'), effect: 'deny' as const }];
    expect(await outcome('curl localhost:3000', { rules: denied, box })).toBe(
      'deny gateway rule-deny',
    );
    const held = [{ ...any('curl'), effect: 'ask' as const }];
    expect(await outcome('curl localhost:3000', { rules: held, box })).toBe('ask gateway rule-ask');
  });
});

describe('processes', () => {
  const box = { pids: [57, 58] };

  it('of the session’s sandbox are its own to look at and to end', async () => {
    for (const command of [
      'kill 57',
      'kill -9 57 58',
      'kill -TERM 57',
      'kill -s HUP 57',
      'kill -- -57',
    ])
      expect([command, await outcome(command, { box })]).toEqual([command, inside]);
    for (const command of ['pgrep -f vite', 'pkill -f vite', 'lsof -i :3000', 'ps aux'])
      expect([command, await outcome(command, { box })]).toEqual([command, inside]);
  });

  it('of this machine are asked about', async () => {
    for (const command of ['kill 57', 'ps aux', 'pkill -f vite'])
      expect([command, await outcome(command)]).toEqual([command, asked]);
    for (const command of ['kill 99', 'kill 57 99', 'kill -9 -1', 'kill -9 1', 'kill 0'])
      expect([command, (await outcome(command, { box })).split(' ')[0]]).toEqual([command, 'ask']);
  });
});
