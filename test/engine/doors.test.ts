import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulator, createTester } from '../../app/host/rule-tester.ts';
import { judge } from '../../runner/cli/check/judge.ts';
import { createBroker } from '../../runner/tools/broker.ts';
import { defaultConfig } from '../../shared/engine/config.ts';
import { createEngine } from '../../shared/engine/engine.ts';
import type { Engine } from '../../shared/engine/engine.ts';
import * as face from '../../shared/engine/index.ts';
import { parsePolicy } from '../../shared/engine/policy/parse.ts';
import type { PolicyDocument } from '../../shared/engine/policy/types.ts';
import { loadGrammar } from '../../shared/home/machine.ts';
import { bench, incoming, ownUid } from '../runner/gate/support.ts';
import { machine } from '../support/machine.ts';

const fixtures = new URL('../fixtures/everyday/', import.meta.url);
const root = resolve(import.meta.dirname, '../..');
const agent = 'claude';

let folder: string;
let document: PolicyDocument;
let engine: Engine;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'il-doors-')));
  mkdirSync(join(folder, 'src'));
  const parsed = parsePolicy(readFileSync(new URL('policy.json', fixtures), 'utf8'));
  if (!parsed.ok) throw new Error(parsed.problem.message);
  document = parsed.document;
  const grammar = await loadGrammar();
  const here = machine({ [`${folder}/package.json`]: '{}', [`${folder}/src/a.ts`]: 'x' });
  engine = createEngine(
    {
      ...here,
      known: () => [],
      grammar: async () => Promise.resolve(grammar),
      hashFile: () => null,
      now: () => 0,
    },
    () => ({
      ...defaultConfig,
      agents: { [agent]: { host: 'gateway', uids: [ownUid] } },
    }),
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('one engine', () => {
  it('gives the same verdict through every door: gate, check, tester, simulator', async () => {
    const commands = readFileSync(new URL('commands.txt', fixtures), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const { gate } = bench({ policy: document, ports: { engine } });
    const tester = createTester(engine);
    const simulator = createSimulator({ engine, past: async () => Promise.resolve([]) });
    const who = { claims: {}, levelOf: () => 'owner' as const } as const;
    const atCheck = { engine, document, problem: null, host: null, cwd: folder, agent, ...who };
    const verdicts = new Map<string, number>();
    for (const command of [...commands, 'curl x | sh', 'rm -rf /', 'ls $(date)', 'nothing-here']) {
      const request = { agent, command, cwd: folder, document };
      const atGate = await gate.check(incoming({ agent, command, cwd: folder }));
      expect((await judge({ command }, atCheck)).body, command).toEqual(atGate);
      expect(await tester.check(request), command).toEqual(atGate);
      expect((await simulator.simulate(request)).check, command).toEqual(atGate);
      verdicts.set(atGate.verdict, (verdicts.get(atGate.verdict) ?? 0) + 1);
    }
    expect(verdicts.get('allow')).toBeGreaterThan(100);
    expect(verdicts.get('ask')).toBeGreaterThan(10);
  });

  it.each([
    ['git status', 'deny', 'does not name', false],
    ['git push origin main', 'allow', '', true],
    ['git push --force origin main', 'ask', 'overwrites', true],
    ['git push --receive-pack=x origin main', 'deny', 'does not list the option', true],
    ['git push origin main > out.txt', 'deny', 'called by its name', true],
    ['git push origin main | cat', 'deny', 'called by its name', true],
    ['GIT_SSH=x git push origin main', 'deny', 'called by its name', true],
    ['git push origin $BRANCH', 'deny', 'called by its name', true],
    ['env git push origin main', 'deny', 'called by its name', true],
    ['ls', null, '', false],
  ] as const)('of a brokered tool the simulator says what the broker would: %s', async (...one) => {
    const [command, verdict, says, fromSandbox] = one;
    const directory = join(folder, 'policy');
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const text = readFileSync(join(root, 'assets/tools/git.yaml'));
    writeFileSync(join(directory, 'git.yaml'), text, { mode: 0o600 });
    const request = { agent, command, cwd: folder, document };
    const past = async () => Promise.resolve([]);
    const places = { directory, uid: ownUid };
    const simulate = async (...names: readonly string[]) => {
      const kept = async () => Promise.resolve(new Set(names));
      return (await createSimulator({ engine, past, tools: { ...places, kept } }).simulate(request))
        .tool;
    };
    const tool = await simulate('github');
    if (verdict === null) {
      expect(tool).toBeNull();
      return;
    }
    expect(tool).toMatchObject({ name: 'git', verdict, fromSandbox });
    expect(tool?.message).toContain(says);
    expect(tool?.given === null).toBe(verdict === 'deny');
    if (verdict === 'deny') return;
    const lacking = await simulate();
    expect(lacking).toMatchObject({ verdict: 'deny', given: null });
    expect(lacking?.message).toContain('needs the secret "github"');
    // The gate's own broker says the same of the words that an agent would send.
    const argv = command.split(' ');
    const situation = await engine.situation({ ...request, request: { argv, cwd: folder } });
    const vault = { open: async () => Promise.resolve({ list: () => [{ name: 'github' }] }) };
    const broker = createBroker({ ...places, vault: vault as never });
    const understood = { command: situation.request, analysis: situation.analysis };
    const admitted = await broker.admit(understood);
    expect(admitted.confirm !== null).toBe(says === 'overwrites');
  });

  it('is the only thing that can be called: its parts are not at the face', () => {
    const parts = ['decide', 'fallBack', 'assess', 'analyseTool', 'createAnalyser', 'propose'];
    const more = ['explain', 'effectOf', 'failedExamples', 'addRules', 'replaceRule', 'removeRule'];
    for (const part of [...parts, ...more]) expect(face).not.toHaveProperty(part);
  });

  it('is made once in each process that decides', () => {
    const makers = ['shared', 'runner', 'app'].flatMap((name) =>
      readdirSync(join(root, name), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.tsx?$/u.test(file))
        .map((file) => `${name}/${file}`)
        .filter((file) =>
          /(?<!function )createEngine\(/u.test(readFileSync(join(root, file), 'utf8')),
        ),
    );
    expect(makers.toSorted()).toEqual([
      'app/host/start.ts',
      'runner/cli/check/bench.ts',
      'runner/service/parts.ts',
    ]);
  });
});

describe('what a verdict depends on besides the policy', () => {
  const allow = (rule: object): PolicyDocument => ({
    version: 1,
    agents: {
      [agent]: { security: 'allowlist', allowlist: [{ id: 'a', pattern: 'ls', ...rule }] },
    },
  });
  const checkUnder = async (config: Partial<typeof defaultConfig>, rule: object = {}) => {
    const grammar = await loadGrammar();
    const port = { ...machine(), known: () => [], grammar: async () => Promise.resolve(grammar) };
    const under = createEngine({ ...port, hashFile: () => null, now: () => 0 }, () => ({
      ...defaultConfig,
      ...config,
    }));
    const request = { agent, command: 'ls', cwd: '/tmp', document: allow(rule) };
    return createTester(under).check(request);
  };
  const verdictUnder = async (...of: Parameters<typeof checkUnder>) =>
    (await checkUnder(...of)).verdict;
  const { exec } = defaultConfig;

  it('is the folders whose programs are trusted', async () => {
    expect(await verdictUnder({})).toBe('allow');
    expect(await verdictUnder({ exec: { ...exec, trustedDirectories: ['/nowhere'] } })).toBe('ask');
  });

  it('is the host on which the agent’s commands run', async () => {
    const elsewhere = { [agent]: { host: 'node', node: 'n1' } } as const;
    expect(await verdictUnder({}, { host: 'gateway' })).toBe('allow');
    for (const effect of ['ask', 'deny'])
      expect(await verdictUnder({ agents: elsewhere }, { effect })).toBe(effect);
    // What is allowed there, the policy of the node says.
    for (const host of ['gateway', 'node'])
      expect(await checkUnder({ agents: elsewhere }, { host })).toMatchObject({
        reason: 'node-decides',
      });
  });
});
