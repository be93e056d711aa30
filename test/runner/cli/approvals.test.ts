import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PolicyDocument, Rule } from '../../../shared/engine/policy/types.ts';
import { cli, temporaryHome } from './support.ts';

let place: ReturnType<typeof temporaryHome>;
beforeEach(async () => {
  place = temporaryHome();
  await cli({ home: place.home }, 'init', '--host', 'gateway');
});
afterEach(() => place.remove());

const approvals = async (...args: readonly string[]) =>
  cli({ home: place.home, now: () => 1_000_000 }, 'approvals', ...args);
const onDisk = (): PolicyDocument =>
  JSON.parse(readFileSync(join(place.home, 'exec-approvals.json'), 'utf8')) as PolicyDocument;
const rulesOf = (agent: string): readonly Rule[] => onDisk().agents?.[agent]?.allowlist ?? [];

async function hashNow(): Promise<string> {
  const { out } = await approvals('get', '--json');
  return (JSON.parse(out) as { hash: string }).hash;
}

describe('interlock approvals', () => {
  it('adds rules that hold from then on, and removes them', async () => {
    const added = await approvals(
      'allow',
      '--agent',
      'claude',
      '--note',
      'looks only',
      '--',
      'git',
      'status',
      '...',
    );
    expect(added).toMatchObject({ exitCode: 0, err: '' });
    const [rule] = rulesOf('claude');
    expect(rule).toMatchObject({
      effect: 'allow',
      pattern: 'git',
      args: ['status', '...'],
      note: 'looks only',
      source: 'cli',
      createdAt: 1_000_000,
    });
    expect(added.out).toContain(rule?.id);
    const check = async (...words: readonly string[]) =>
      (await cli({ home: place.home }, 'check', '--agent', 'claude', '--exit-code', ...words))
        .exitCode;
    expect(await check('--', 'git', 'status', '-s')).toBe(0);
    expect(await check('--', 'git', 'push')).toBe(1);
    await approvals('rm', rule?.id ?? '');
    expect(rulesOf('claude')).toEqual([]);
    expect(await check('--', 'git', 'status', '-s')).toBe(1);
  });

  it('adds rules about files, addresses and MCP tools, with examples that are targets', async () => {
    const words =
      'allow --kind edit --tool Edit --match /src/a/b.ts --never-match /etc/x -- /src/**';
    const added = await approvals(...words.split(' '));
    expect(added).toMatchObject({ exitCode: 0, err: '' });
    expect(added.out).toContain('edit  /src/**  with Edit');
    expect(rulesOf('*')).toMatchObject([{ kind: 'edit', pattern: '/src/**', tool: 'Edit' }]);
    const wrong = await approvals('allow', '--kind', 'mcp', '--match', 'b/x', '--', 'a/**');
    expect(wrong.err).toContain('It should match "b/x"');
    expect(wrong.exitCode).not.toBe(0);
  });

  it.each([
    [['--kind', 'edit', '--', '/src/**', 'word']],
    [['--kind', 'fetch', '--exact', '--', 'https://a.example/**']],
    [['--tool', 'Edit', '--', 'ls']],
    [['--kind', 'egress', '--', 'foo*.example.com']],
    [['--kind', 'egress', '--tool', 'Fetch', '--', 'example.com']],
    [['--kind', 'egress', '--', 'example.com', 'more']],
  ])('takes no flags that say nothing: %s', async (words) => {
    expect((await approvals('allow', ...words)).exitCode).not.toBe(0);
    expect(rulesOf('*')).toEqual([]);
  });

  it('writes rules for everybody where no agent is named, with expiry and pinned arguments', async () => {
    await approvals('deny', '--', 'rm', '-rf', '...');
    await approvals('allow', '--expires', '30m', '--exact', '--', 'date');
    expect(rulesOf('*')).toMatchObject([
      { effect: 'deny', pattern: 'rm', args: ['-rf', '...'] },
      { effect: 'allow', pattern: 'date', args: [], expiresAt: 1_000_000 + 30 * 60_000 },
    ]);
  });

  it.each([
    'allow --agent claude git status',
    'allow git --agent claude status',
    'allow git status --agent claude',
    'allow git --agent=claude -- status',
    'allow --agent claude -- git status',
  ])('takes a flag before and after the program: %s', async (words) => {
    expect(await approvals(...words.split(' '))).toMatchObject({ exitCode: 0, err: '' });
    expect(rulesOf('claude')).toMatchObject([{ pattern: 'git', args: ['status'] }]);
    expect(rulesOf('*')).toEqual([]);
  });

  it('takes everything after "--" as words of the rule', async () => {
    const words = 'deny --agent claude git -- log --agent x -- -p';
    expect(await approvals(...words.split(' '))).toMatchObject({ exitCode: 0, err: '' });
    expect(rulesOf('claude')).toMatchObject([
      { pattern: 'git', args: ['log', '--agent', 'x', '--', '-p'] },
    ]);
  });

  it('takes no flag that it does not know for an argument of the rule', async () => {
    const { exitCode, err } = await approvals('allow', 'rm', '-rf');
    expect(exitCode).not.toBe(0);
    expect(err).toContain("unknown option '-rf'");
    expect(err).toContain('"interlock approvals allow --help"');
    expect(rulesOf('*')).toEqual([]);
  });

  it('does not save a rule that fails its own examples', async () => {
    const result = await approvals('allow', '--match', 'git push', '--', 'git', 'status', '...');
    expect(result.exitCode).toBe(126);
    expect(result.err).toContain('git push');
    expect(rulesOf('*')).toEqual([]);
  });

  it('shows the policy without the token of the socket', async () => {
    const token = onDisk().socket?.token ?? '';
    await approvals('allow', '--', 'ls');
    for (const args of [['get'], ['get', '--json'], ['export']]) {
      const { out, exitCode } = await approvals(...args);
      expect(exitCode).toBe(0);
      expect(out).toContain('ls');
      expect(token.length).toBeGreaterThan(40);
      expect(out).not.toContain(token);
    }
  });

  it('replaces the policy only from the state that was read, and keeps the socket', async () => {
    const file = join(place.folder, 'new.json');
    writeFileSync(file, JSON.stringify({ version: 1, agents: { '*': { security: 'deny' } } }));
    const { socket } = onDisk();
    const base = await hashNow();
    const set = await approvals('set', file, '--base-hash', base);
    expect(set).toMatchObject({ exitCode: 0, err: '' });
    expect(set.out.trim()).toBe(await hashNow());
    expect(onDisk()).toEqual({ version: 1, agents: { '*': { security: 'deny' } }, socket });
    const late = await approvals('set', file, '--base-hash', base);
    expect(late.exitCode).toBe(126);
    expect(late.err).toContain('has changed since it was read');
  });

  it('refuses bytes that are not UTF-8 instead of putting another character there', async () => {
    const file = join(place.folder, 'latin.json');
    const text = '{"version":1,"agents":{"*":{"allowlist":[{"pattern":"caf\u00e9"}]}}}';
    writeFileSync(file, Buffer.from(text, 'latin1'));
    const before = onDisk();
    const { exitCode, err } = await approvals('set', file, '--base-hash', await hashNow());
    expect([exitCode, err]).toEqual([125, expect.stringContaining('is not UTF-8 text')]);
    expect(onDisk()).toEqual(before);
  });

  it('says what a rule does when it is added', async () => {
    const { out } = await approvals('allow', '--agent', 'claude', '--', 'git', 'status', '...');
    expect(out).toContain('\nAllows claude: git status …\n');
  });

  it.each([
    [['*'], 'It opens everything'],
    [['bash', '-c', '...'], null],
    [['bash'], 'bash runs any code'],
    [['bash', '...'], 'bash runs any code'],
    [['bin/tool'], 'can never match'],
  ])('refuses what can hardly be meant, unless it is meant: %j', async (words, sentence) => {
    const { exitCode, err } = await approvals('allow', '--', ...words);
    expect(exitCode).toBe(sentence === null ? 0 : 126);
    if (sentence === null) return;
    expect(err).toContain('invalid-request');
    expect(err).toContain(sentence);
    expect(err).toContain('--yes');
    expect(rulesOf('*')).toEqual([]);
    expect((await approvals('allow', '--yes', '--', ...words)).exitCode).toBe(0);
    expect(rulesOf('*')).toHaveLength(1);
  });

  it('refuses what a denial would come before', async () => {
    await approvals('deny', '--', 'rm');
    const { exitCode, err } = await approvals('allow', '--agent', 'claude', '--', 'rm', 'x');
    expect(exitCode).toBe(126);
    expect(err).toContain('a denial comes first');
  });

  it('refuses to put a broken policy in place', async () => {
    const file = join(place.folder, 'new.json');
    writeFileSync(file, '{ "version": 1, "agents": { "*": { "security": "loose" } } }');
    const before = onDisk();
    const { exitCode, err } = await approvals('set', file, '--base-hash', await hashNow());
    expect(exitCode).toBe(126);
    expect(err).toContain(
      `invalid-request: ${file} is not a policy that could be set. It is not valid:`,
    );
    expect(err).toContain('The present policy stays as it is.');
    expect(onDisk()).toEqual(before);
  });

  it('says what runs without a rule, and it is so', async () => {
    const { out } = await approvals('get');
    const [, names = ''] = /^no rule +shell text that only uses ([^,]+), /mu.exec(out) ?? [];
    expect(names.split(' ')).toContain('echo');
    const samples: Readonly<Record<string, string>> = {
      test: 'test a = a',
      '[': '[ a = a ]',
      export: 'export A=1',
      set: 'set -e',
      exit: 'exit 3',
      break: 'for x in a; do break; done',
      continue: 'for x in a; do continue; done',
      type: 'type git',
      kill: 'kill %1',
      read: 'read -r x',
      printf: 'printf x',
      pushd: 'pushd .',
      popd: 'pushd . && popd',
      'NAME=VALUE': 'A=1; echo $A',
    };
    for (const name of names.split(' ')) {
      const text = samples[name] ?? name;
      const checked = await cli({ home: place.home, cwd: place.folder }, 'check', '-c', text);
      expect(checked.out, text).toMatch(/^ALLOW/u);
    }
    const written = await cli({ home: place.home, cwd: place.folder }, 'check', '-c', 'echo x > y');
    expect(written.out).toMatch(/^ASK/u);
  });

  it('imports the rules of another policy, but neither its modes nor what is there already', async () => {
    await approvals('allow', '--agent', 'claude', '--', 'ls');
    const file = join(place.folder, 'other.json');
    const ls = rulesOf('claude')[0];
    writeFileSync(
      file,
      JSON.stringify({
        version: 1,
        agents: {
          claude: {
            security: 'full',
            allowlist: [{ ...ls, id: 'theirs' }, { pattern: '/usr/bin/git' }],
          },
        },
      }),
    );
    const { out, exitCode } = await approvals('import', file);
    expect(exitCode).toBe(0);
    expect(out).toContain('Added 1 rules; 1 were there already.');
    expect(rulesOf('claude').map(({ pattern }) => pattern)).toEqual(['ls', '/usr/bin/git']);
    expect(onDisk().agents?.['claude']?.security).toBeUndefined();
  });

  it('tests every rule against its examples', async () => {
    await approvals(
      'allow',
      '--match',
      'git status -s',
      '--never-match',
      'git push',
      '--',
      'git',
      'status',
      '...',
    );
    expect(await approvals('test')).toMatchObject({
      exitCode: 0,
      out: '1 rules, 2 examples, 0 problems.\n',
    });
    const document = onDisk();
    const broken = { ...rulesOf('*')[0], examples: { match: ['git push'] } };
    writeFileSync(
      join(place.home, 'exec-approvals.json'),
      JSON.stringify({ ...document, agents: { '*': { allowlist: [broken] } } }),
    );
    const result = await approvals('test', '--json');
    expect(result.exitCode).toBe(1);
    expect(JSON.parse(result.out)).toMatchObject({ ok: false, rules: 1, examples: 1 });
    expect(result.out).toContain('git push');
  });

  it('says what is wrong with a policy that is not valid, and writes nothing', async () => {
    writeFileSync(join(place.home, 'exec-approvals.json'), '{ "version": 1, ');
    const result = await approvals('allow', '--', 'ls');
    expect(result.exitCode).toBe(126);
    expect(result.err).toContain('config-invalid');
    expect(readFileSync(join(place.home, 'exec-approvals.json'), 'utf8')).toBe('{ "version": 1, ');
  });
});
