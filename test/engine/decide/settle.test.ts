import { describe, expect, it } from 'vitest';
import { riskCodes, sandboxTakesAway } from '../../../shared/engine/risk/finding.ts';
import type { EngineConfig, Engine } from '../../../shared/engine/engine.ts';
import { createEngine } from '../../../shared/engine/engine.ts';
import { defaultConfig } from '../../../shared/engine/config.ts';
import type { AgentPolicy, PolicyDocument, Rule } from '../../../shared/engine/policy/types.ts';
import { loadGrammar } from '../../../shared/home/machine.ts';
import { machine } from '../../support/machine.ts';
import { cwd, home } from '../../support/stages.ts';

interface Around {
  readonly rules?: readonly Omit<Rule, 'id'>[];
  readonly modes?: Pick<AgentPolicy, 'security' | 'ask'>;
  readonly sandbox?: Partial<EngineConfig['sandbox']>;
  readonly problem?: string;
  readonly cwd?: string;
  readonly wanted?: 'sandbox';
  readonly brokered?: Readonly<Record<string, readonly string[]>>;
}

function engineWith({ sandbox = {}, problem, brokered = {} }: Around): Engine {
  const files = [
    'package.json',
    'src/app.ts',
    'dist/index.js',
    '.env',
    '.git/HEAD',
    'build.sh',
    '.claude/settings.json',
  ].map((path) => [`${cwd}/${path}`, 'x\n'] as const);
  const programs = ['docker', 'systemctl', 'sudo', 'make', 'ssh', 'shred'].map(
    (name) => [`/usr/bin/${name}`, '\u007fELF'] as const,
  );
  return createEngine(
    {
      ...machine(Object.fromEntries([...files, ...programs])),
      known: () => [],
      grammar: loadGrammar,
      hashFile: () => null,
      now: () => 0,
      brokered: () => new Map(Object.entries(brokered)),
      ...(problem !== undefined && { sandboxProblem: () => problem }),
    },
    () => ({
      ...defaultConfig,
      exec: { ...defaultConfig.exec, host: 'auto' },
      sandbox: { ...defaultConfig.sandbox, ...sandbox },
    }),
  );
}

function documentOf({ rules = [], modes }: Around): PolicyDocument {
  const allowlist = rules.map((rule, index) => ({ ...rule, id: `r${index}` }));
  return {
    version: 1,
    agents: { '*': { security: 'allowlist', ask: 'on-miss', ...modes, allowlist } },
  };
}

async function verdictOn(command: string, around: Around = {}) {
  const engine = engineWith(around);
  const situation = await engine.situation({
    agent: 'claude',
    document: documentOf(around),
    request: { command, cwd: around.cwd ?? cwd },
  });
  const { wanted } = around;
  return engine.decide({ ...situation, ...(wanted !== undefined && { wanted }) });
}

async function outcome(command: string, around: Around = {}) {
  const { decision, host, reason } = await verdictOn(command, around);
  return `${decision} ${host} ${reason}`;
}

const unasked = 'allow sandbox sandbox-unasked';

describe('with exec.host auto', () => {
  it('every finding says whether the sandbox takes away what it is about', () => {
    expect(Object.keys(sandboxTakesAway).toSorted()).toEqual([...riskCodes].toSorted());
  });

  it.each([
    'make',
    'for f in src/*.ts; do wc -l "$f"; done',
    'echo $(cat package.json)',
    `python3 -c 'print(1 + 1)'`,
    'if [ -f build.sh ]; then ./build.sh; fi',
    'bash build.sh',
    './build.sh --fast',
    'rm -rf dist node_modules',
    'cat package.json > copy.json',
    'while read -r line; do node -e "$line"; done < package.json',
  ])('runs in the sandbox, unasked: %s', async (command) => {
    expect(await outcome(command)).toBe(unasked);
  });

  it.each([
    'docker ps',
    'docker run -v /:/host alpine sh',
    'sudo make install',
    'systemctl restart app',
    'git push',
    'git fetch origin',
    'git clone https://example.com/x.git',
    'curl https://example.com',
    'npm install left-pad',
    'ssh host ls',
    'cat /home/me/other/file',
    'cd /home/me/other && make',
    'make -C ../other',
    'for f in /home/me/other/*; do wc -l "$f"; done',
    'for f in ~/notes/*; do wc -l "$f"; done',
    'echo $(docker ps -q)',
    'for r in a b; do git push "$r"; done',
    'cat > /home/me/.bashrc',
  ])('asks about what needs this machine: %s', async (command) => {
    expect(await outcome(command)).toMatch(/^ask gateway /);
  });

  it.each([
    'rm -rf src',
    'rm src/app.ts',
    'eval "rm -rf src"',
    `trap 'rm -rf src' EXIT; eval "$x"`,
    'find . -name "*.ts" -delete',
    'find src -name "*.ts" | xargs rm',
    'for d in src lib; do rm -rf "$d"; done',
    'rm -rf dist/../src',
    'git reset --hard HEAD~3',
    'git clean -fdx',
    'git stash clear',
    'git branch -D main',
    'cat .env',
    'x=$(cat .env); echo done',
    'cp .env copy',
    'echo x > .claude/settings.json',
    'for f in a; do echo x > .vscode/tasks.json; done',
    'echo "$(date)" > .git/hooks/post-commit',
    'npm publish',
    `python3 -c "import os; os.system('id')"`,
    `python3 - <<'X'\nimport shutil\nshutil.rmtree('src')\nX`,
    'chmod -R 777 .',
    'shred -u src/app.ts',
  ])('asks about what a sandbox does not take away: %s', async (command) => {
    expect(await outcome(command)).toMatch(/^ask gateway /);
  });

  it('leaves to rules what they say', async () => {
    const make = { pattern: '/usr/bin/make' };
    expect(await outcome('make', { rules: [make] })).toBe('allow gateway rule-allow');
    expect(await outcome('make', { rules: [{ ...make, effect: 'deny' }] })).toBe(
      'deny gateway rule-deny',
    );
    expect(await outcome('make', { rules: [{ ...make, effect: 'ask' }] })).toBe(
      'ask gateway rule-ask',
    );
    expect(await outcome('make', { rules: [{ ...make, host: 'sandbox' }] })).toBe(
      'allow sandbox rule-allow',
    );
    expect(await outcome('make', { rules: [{ ...make, host: 'sandbox', effect: 'deny' }] })).toBe(
      'deny sandbox rule-deny',
    );
  });

  it('asks about a text in which a program stands that a rule holds back', async () => {
    const rules = [{ pattern: 'git', args: ['push', '...'], effect: 'deny' as const }];
    expect(await outcome('eval "$x"; git add y', { rules })).toMatch(/^ask/);
    expect(await outcome('ls "$x" && wc -l y', { rules })).toBe(unasked);
    expect(await outcome('eval "git push"', { rules })).toMatch(/^ask/);
    expect(await outcome('eval "$x"; $g x', { rules })).toMatch(/^ask/);
    expect(await outcome('echo $(git push)', { rules })).toBe('deny gateway rule-deny');
  });

  it.each([
    `eval 'm"a"ke' deploy`,
    'eval "ma""ke deploy"',
    'eval "$(echo make deploy)"',
    `trap 'm"a"ke deploy' EXIT`,
    'coproc make deploy',
    'source <(echo make deploy)',
    "bash <<< 'make deploy'",
    'bash <<E\nmake deploy\nE',
    'echo make deploy | sh',
    "printf 'ma\\ke deploy' | bash",
    'echo deploy | xargs make',
    `python3 -c 'getattr(o, "sys" + "tem")("make deploy")'`,
    "vim -c '!make deploy' x",
  ])('asks about what names such a program where it is run: %s', async (command) => {
    const rules = [{ pattern: 'make', args: ['deploy'], effect: 'deny' as const }];
    expect(await outcome(command, { rules })).toMatch(/^(?:ask|deny)/);
    const other = [{ pattern: 'cargo', args: ['publish'], effect: 'deny' as const }];
    expect(await outcome('make test && python3 x.py', { rules })).toBe(unasked);
    expect(await outcome('echo deploy | xargs make', { rules: other })).toBe(unasked);
  });

  it('does not go round the modes of the policy', async () => {
    expect(await outcome('make', { modes: { security: 'deny' } })).toBe(
      'deny gateway security-deny',
    );
    expect(await outcome('make', { modes: { ask: 'always' } })).toBe('ask gateway no-rule');
    expect(await outcome('make', { modes: { ask: 'off' } })).toBe(unasked);
    expect(await outcome('git push', { modes: { ask: 'off' } })).toBe('deny gateway ask-off');
    expect(await outcome('make', { modes: { security: 'full' } })).toBe(
      'allow gateway security-full',
    );
  });

  it('asks where there is no sandbox, or none for the folder, and says so', async () => {
    const problem = 'There are no namespaces.';
    const verdict = await verdictOn('make', { problem });
    expect(verdict).toMatchObject({ decision: 'ask', host: 'gateway', reason: 'no-rule' });
    expect(verdict.message).toContain(problem);
    expect(await outcome('make', { cwd: home })).toMatch(/^ask gateway/);
    expect(await outcome('make', { cwd: '/etc' })).toMatch(/^ask gateway/);
  });

  it('asks about what may use a network that the sandbox has', async () => {
    const sandbox = { network: 'full' } as const;
    expect(await outcome('for f in a; do make "$f"; done', { sandbox })).toMatch(/^ask/);
    expect(await outcome('./build.sh', { sandbox })).toMatch(/^ask/);
    expect(await outcome('wc -l src/app.ts', { sandbox })).toBe(unasked);
  });

  it('runs there what a request wants there, and asks about harm all the same', async () => {
    const wanted = 'sandbox' as const;
    expect(await outcome('docker ps', { wanted })).toBe(unasked);
    expect(await outcome('rm -rf src', { wanted })).toBe('ask sandbox no-rule');
    const rules = [{ pattern: '/usr/bin/make' }];
    expect(await outcome('make', { wanted, rules })).toBe('allow sandbox rule-allow');
  });

  it.each([
    [`${cwd}/src/app.ts`, 'allow gateway project-edit'],
    [`${cwd}/.env`, 'ask'],
    [`${cwd}/.claude/settings.json`, 'ask'],
    [`${cwd}/.git/HEAD`, 'ask'],
    [`${cwd}/../other/x.ts`, 'ask'],
    ['/home/me/.bashrc', 'ask'],
  ])('edits of %s by a tool of the agent: %s', async (target, expected) => {
    const engine = engineWith({});
    const situation = await engine.situation({
      agent: 'claude',
      document: documentOf({}),
      request: { cwd },
      tool: { kind: 'edit', tool: 'Edit', target, detail: null },
    });
    const { decision, host, reason } = engine.decide(situation);
    expect(`${decision} ${host} ${reason}`).toMatch(new RegExp(`^${expected}`));
  });
});

describe('calls of brokered tools', () => {
  const brokered = { docker: ['*'], git: ['push', 'fetch'] };
  it.each([
    'docker images',
    'git push origin main',
    'git push origin main && ls',
    'docker images | head -3',
    'for i in 1 2; do docker pull a:$i; done',
    'env docker images',
  ])('%s is for the gate when it comes to it', async (command) => {
    expect(await outcome(command, { brokered })).toMatch(/^allow sandbox sandbox-unasked/u);
    expect(await outcome(command)).toMatch(/^ask gateway/u);
  });

  it.each([
    // Another program that needs this machine, and what else the words do.
    'docker images; systemctl restart x',
    'sudo docker images',
    'docker images > /etc/x',
    'docker images .env',
    'PATH=/tmp/x docker images',
    'rm -rf src; docker images',
    'git commit -m x && git push',
    // Grave as a whole.
    'git push --force origin main',
    // Not one of its calls.
    'git lfs push origin main',
    'ssh docker images',
  ])('%s is asked about as ever', async (command) => {
    expect(await outcome(command, { brokered })).toMatch(/^ask gateway/u);
  });

  it('are as ever where a rule is about them, or the sandbox has a network', async () => {
    const rules = [{ effect: 'deny', pattern: 'docker', source: 'manual' }] as const;
    expect(await outcome('docker images', { brokered, rules: [...rules] as never })).toMatch(
      /^deny/u,
    );
    const text = 'for i in 1; do docker pull $i; done';
    expect(await outcome(text, { brokered, rules: [...rules] as never })).not.toMatch(/^allow/u);
    for (const network of ['full', 'restricted'] as const)
      expect(await outcome('docker images', { brokered, sandbox: { network } })).toMatch(/^ask/u);
  });
});
