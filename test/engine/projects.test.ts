import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { defaultConfig } from '../../shared/engine/config.ts';
import { createEngine } from '../../shared/engine/engine.ts';
import type { Engine, Machine } from '../../shared/engine/engine.ts';
import { parseTrustedProjects, projectsOf } from '../../shared/engine/projects.ts';
import type { TrustedProject } from '../../shared/engine/projects.ts';
import { askModes, securityModes } from '../../shared/engine/policy/types.ts';
import type { PolicyDocument } from '../../shared/engine/policy/types.ts';
import { loadGrammar } from '../../shared/home/machine.ts';
import { machine } from '../support/machine.ts';
import { cwd } from '../support/stages.ts';

const aside = '/tmp/aside';
let here: Machine;

beforeAll(async () => {
  const grammar = await loadGrammar();
  here = {
    ...machine({ [`${cwd}/package.json`]: '{}', [aside]: null, [`${aside}/a`]: 'x' }),
    known: () => [],
    grammar: async () => Promise.resolve(grammar),
    hashFile: () => null,
    now: () => 0,
  };
});

/** A project as the home keeps it; identity 0:0 is nobody's. */
function trusted(says: object, folder: string = cwd, inode = 0): readonly TrustedProject[] {
  const text = JSON.stringify({ version: 1, ...says });
  const kept = { folder, device: 0, inode, hash: 'a'.repeat(64), text, trustedAt: 0 };
  const parsed = parseTrustedProjects(JSON.stringify({ version: 1, projects: [kept] }));
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.projects;
}

interface Setting {
  readonly document: PolicyDocument;
  readonly host: 'auto' | 'gateway' | 'sandbox';
}

function engineOf({ host }: Pick<Setting, 'host'>, projects?: readonly TrustedProject[]): Engine {
  const config = { ...defaultConfig, exec: { ...defaultConfig.exec, host } };
  return createEngine(here, () => (projects === undefined ? config : { ...config, projects }));
}

async function verdictOn(
  engine: Engine,
  { document }: Pick<Setting, 'document'>,
  { command, from = cwd }: { readonly command: string; readonly from?: string },
) {
  const routed = engine.route({ agent: 'a', cwd: from });
  if (!routed.ok)
    return { decision: 'deny', fallback: 'deny', reason: routed.problem.code } as const;
  const situation = await engine.situation({
    document,
    agent: 'a',
    request: { command, cwd: from },
    host: routed.route.host.value,
  });
  const verdict = engine.decide(situation);
  return { ...verdict, fallback: engine.fallBack(verdict).decision };
}

const free: Setting = {
  host: 'gateway',
  document: { version: 1, agents: { a: { security: 'full', ask: 'off' } } },
};
const reasonOf = async (
  says: object,
  command: string,
  { from = cwd, at = cwd, inode = 0 } = {},
): Promise<string> => {
  const engine = engineOf(free, trusted(says, at, inode));
  const { decision, reason } = await verdictOn(engine, free, { command, from });
  return `${decision} ${reason}`;
};

const maybe = <T>(values: readonly T[]) =>
  fc.option(fc.constantFrom(...values), { nil: undefined });
const modes = fc.record({
  security: maybe(securityModes),
  ask: maybe(askModes),
  askFallback: maybe(securityModes),
});
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const rules = fc.uniqueArray(
  fc.record({
    pattern: fc.constantFrom('git', 'ls', 'curl', 'cat', '**'),
    effect: fc.constantFrom('allow', 'ask', 'deny'),
    host: maybe(['gateway', 'sandbox']),
  }),
  { maxLength: 4 },
);
const denials = fc.array(
  fc.record({ pattern: fc.constantFrom('git', 'ls', 'curl', '**'), host: maybe(['sandbox']) }),
  { maxLength: 2 },
);
const bounds = fc.record({
  security: maybe(securityModes),
  ask: maybe(askModes),
  hosts: fc.option(fc.uniqueArray(fc.constantFrom('auto', 'gateway', 'sandbox')), {
    nil: undefined,
  }),
  deny: denials,
});
const commands = [
  'git status',
  'ls && curl http://x.example',
  `cd ${aside} && cat a`,
  'ls $(date)',
  `cat x > ${aside}/b`,
  'rm -rf /',
];
const looseness = ['deny', 'ask', 'allow'];

describe('what a project says', () => {
  it('never makes a verdict looser, whatever the policy is', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ own: modes, rules, host: fc.constantFrom('auto', 'gateway', 'sandbox') }),
        fc.record({ says: bounds, own: bounds, at: fc.constantFrom(cwd, aside, '/') }),
        fc.constantFrom(...commands),
        async ({ own, rules: allowlist, host }, { says, own: agents, at }, command) => {
          const document = plain({
            version: 1,
            agents: {
              a: { ...own, allowlist: allowlist.map((one, id) => ({ ...one, id: `r${id}` })) },
            },
          }) as unknown as PolicyDocument;
          const setting = { document, host } as Setting;
          const before = await verdictOn(engineOf(setting), setting, { command });
          const projects = trusted(plain({ ...says, agents: { a: agents } }), at);
          const after = await verdictOn(engineOf(setting, projects), setting, { command });
          const ofOne = (one: { readonly decision: string }): number =>
            looseness.indexOf(one.decision);
          expect(ofOne(after)).toBeLessThanOrEqual(ofOne(before));
          if (before.fallback === 'deny') expect(after.fallback).toBe('deny');
        },
      ),
      { numRuns: 400 },
    );
  });

  it('asks about nothing that a rule for the sandbox denies, where it is to be asked about everything', async () => {
    const allowlist = [{ id: 'r', pattern: 'git', effect: 'deny', host: 'sandbox' }] as const;
    const agents = { a: { security: 'allowlist', allowlist } } as const;
    const setting: Setting = { document: { version: 1, agents }, host: 'auto' };
    for (const projects of [undefined, trusted({ ask: 'always' })])
      expect(
        await verdictOn(engineOf(setting, projects), setting, { command: 'git status' }),
      ).toMatchObject({ decision: 'deny', reason: 'rule-deny' });
  });

  it('asks about what would have run, and denies what was denied because asking is off', async () => {
    const document: PolicyDocument = {
      version: 1,
      agents: {
        a: { security: 'allowlist', ask: 'off', allowlist: [{ id: 'r', pattern: 'ls' }] },
      },
    };
    const setting: Setting = { document, host: 'gateway' };
    const engine = engineOf(setting, trusted({ ask: 'always' }));
    const of = async (command: string) => (await verdictOn(engine, setting, { command })).reason;
    expect([await of('ls'), await of('git status')]).toEqual(['ask-always', 'ask-off']);
  });

  it('holds in folders of the project, and for what works or writes there from elsewhere', async () => {
    const says = { deny: [{ pattern: 'cat' }] };
    expect(await reasonOf(says, 'cat x', { from: `${cwd}/src` })).toBe('deny rule-deny');
    expect(await reasonOf(says, `cd ${aside} && cat a`, { at: aside })).toBe('deny rule-deny');
    expect(await reasonOf(says, `cat x > ${aside}/b`, { at: aside })).toBe('deny rule-deny');
    expect(await reasonOf(says, 'cat x', { at: aside })).toBe('allow security-full');
  });

  it('holds for what an option or a variable has a program run there, whatever that is called', async () => {
    const says = { deny: [{ pattern: '**' }] };
    for (const command of [
      `git -C ${aside} status`,
      'git -C ../../../../../tmp/aside log',
      `git -C /tmp -C aside status`,
      `git --git-dir=${aside}/a status`,
      `GIT_DIR=${aside} git status`,
      `make -C ${aside}`,
      `make -C${aside} all`,
      `make --directory=${aside}`,
      `make -f ${aside}/a`,
      `npm --prefix ${aside} test`,
      `node ${aside}/a`,
      `bash ${aside}/a`,
      `timeout 5 make -C ${aside}`,
      `xargs make -C ${aside}`,
      `find . -exec make -C ${aside} ';'`,
      `nobody-knows ${aside}`,
    ])
      expect([command, await reasonOf(says, command, { at: aside })]).toEqual([
        command,
        'deny rule-deny',
      ]);
    for (const command of [`cat ${aside}/a`, `ls ${aside}`, `grep x ${aside}/a`])
      expect([command, await reasonOf(says, command, { at: aside })]).toEqual([
        command,
        'allow security-full',
      ]);
  });

  it('holds on its hosts alone, and refuses the others', async () => {
    const hosts = { hosts: ['sandbox'] };
    expect(await reasonOf(hosts, 'ls')).toBe('deny host-unavailable');
    expect(await reasonOf(hosts, `cd ${aside} && ls`, { at: aside })).toBe('deny security-deny');
    const engine = engineOf({ host: 'auto' }, trusted({ hosts: ['auto'] }));
    expect(engine.route({ agent: 'a', cwd, asked: { host: 'gateway' } }).ok).toBe(true);
  });

  it('is known by what the folder is as well as by its name', () => {
    const files = {
      realPath: (path: string) => path,
      facts: (path: string) => ({ ...here.files.facts('/tmp'), device: 7, inode: path.length }),
    } as unknown as Machine['files'];
    const [project] = trusted({}, '/was/here', '/now'.length);
    if (project === undefined) throw new Error('none');
    const of = (one: TrustedProject, folder: string) => projectsOf([one], [folder], files).length;
    expect(of({ ...project, device: 7 }, '/now/below')).toBe(1);
    expect(of({ ...project, device: 8 }, '/now/below')).toBe(0);
    expect(of({ ...project, device: 8 }, '/was/here/below')).toBe(1);
    expect(of({ ...project, device: 8 }, '/was/herewith')).toBe(0);
  });
});
