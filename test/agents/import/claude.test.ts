import { describe, expect, it } from 'vitest';
import { readRules } from '../../../shared/agents/import.ts';
import type { Imported } from '../../../shared/wire/agent-import.ts';

function read(permissions: object): Imported {
  const parsed = readRules(JSON.stringify({ permissions }));
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.imported;
}

const ruleOf = (effect: string, text: string): object | null =>
  read({ [effect]: [text] }).rules[0]?.rule ?? null;

describe('an allow rule of Claude Code', () => {
  const carried: readonly [string, object][] = [
    ['Bash(git status)', { pattern: 'git', args: ['status'] }],
    ['Bash(git status:*)', { pattern: 'git', args: ['status', '...'] }],
    ['Bash(npm run test:*)', { pattern: 'npm', args: ['run', 'test', '...'] }],
    ['Bash(git status *)', { pattern: 'git', args: ['status', '**', '...'] }],
    ['Bash(git push*)', { pattern: 'git', args: ['push*', '...'] }],
    ['Bash(git * main)', { pattern: 'git', args: ['*', 'main'] }],
    ['Bash(jq:*)', { pattern: 'jq' }],
    ['Bash(ls)', { pattern: 'ls', args: [] }],
    ['Bash(/usr/bin/jq .name)', { pattern: '/usr/bin/jq', args: ['.name'] }],
    ['Bash(~/bin/lint:*)', { pattern: '~/bin/lint' }],
    ["Bash(git commit -m 'two words')", { pattern: 'git', args: ['commit', '-m', 'two words'] }],
    ['Bash(echo ...)', { pattern: 'echo', args: [String.raw`\...`] }],
  ];
  it.each(carried)('%s', (text, expected) => {
    expect(ruleOf('allow', text)).toEqual({ effect: 'allow', ...expected });
  });

  it.each([
    ['every command', 'Bash'],
    ['every command', 'Bash(*)'],
    ['every command', 'Bash(:*)'],
    ['many programs', 'Bash(git*)'],
    ['any program', 'Bash(* --version)'],
    ['a chain', 'Bash(cd /src && make:*)'],
    ['a pipe', 'Bash(cat x | sh)'],
    ['a redirection', 'Bash(echo hi > file)'],
    ['a substitution', 'Bash(echo $(id))'],
    ['a variable', 'Bash(ls $HOME)'],
    ['a shell glob', 'Bash(rm file?)'],
    ['an escape', String.raw`Bash(echo \x)`],
    ['an assignment', 'Bash(FOO=1 make:*)'],
    ['a program in an unknown folder', 'Bash(./deploy.sh:*)'],
    ['a broken quote', "Bash(echo 'x)"],
    ['a quote within a word', "Bash(ec'h'o x)"],
    ['two lines', 'Bash(ls\nrm -rf x)'],
    ['a wildcard in quotes', 'Bash(echo "* x")'],
  ])('is not carried over when it is for %s: %s', (_what, text) => {
    const { rules, skipped } = read({ allow: [text] });
    expect(rules).toEqual([]);
    expect(skipped).toMatchObject([{ from: text, holdsBack: false }]);
  });

  it('for another tool is listed, and what it forbade counts as holding back', () => {
    const { rules, skipped } = read({
      allow: ['Read(~/.zshrc)', 'mcp__github__search', 'BashOutput'],
      ask: ['Edit(./src/**)'],
      deny: ['WebFetch(domain:x.example)', 'Read(./.env)'],
      defaultMode: 'bypassPermissions',
    });
    expect(rules).toEqual([]);
    expect(skipped.map(({ from, holdsBack }) => [from, holdsBack])).toEqual([
      ['WebFetch(domain:x.example)', true],
      ['Read(./.env)', true],
      ['Edit(./src/**)', true],
      ['Read(~/.zshrc)', false],
      ['mcp__github__search', false],
      ['BashOutput', false],
      ['defaultMode: "bypassPermissions"', false],
    ]);
  });
});

describe('a rule of Claude Code that holds back', () => {
  const carried: readonly [string, object][] = [
    ['Bash', { pattern: '**' }],
    ['Bash(rm:*)', { pattern: 'rm' }],
    ['Bash(rm *)', { pattern: 'rm' }],
    ['Bash(git push:*)', { pattern: 'git', args: ['push', '...'] }],
    ['Bash(git push *)', { pattern: 'git', args: ['push', '...'] }],
    ['Bash(rm -rf /)', { pattern: 'rm', args: ['-rf', '/'] }],
    ['Bash(curl*)', { pattern: 'curl*' }],
    ['Bash(git push * --force)', { pattern: 'git', argPattern: String.raw`^push .* \-\-force$` }],
    ['Bash(* --force:*)', { pattern: '**', argPattern: String.raw`^(?:.* )?\-\-force(?: .*)?$` }],
    ['Bash(./deploy.sh:*)', { pattern: 'deploy.sh' }],
    ['Bash(/sbin/reboot)', { pattern: '/sbin/reboot', args: [] }],
    ['Bash(FOO=1 make:*)', { pattern: 'make' }],
  ];
  it.each(carried)('%s', (text, expected) => {
    expect(ruleOf('deny', text)).toEqual({ effect: 'deny', ...expected });
    expect(ruleOf('ask', text)).toEqual({ effect: 'ask', ...expected });
  });

  it.each(['Bash(curl x | sh)', 'Bash(curl $URL)', 'Bash(curl x && y:*)', 'Bash(curl\nx)'])(
    'becomes wider when it cannot say the same: %s',
    (text) => {
      const [imported] = read({ deny: [text] }).rules;
      expect(imported?.rule).toEqual({ effect: 'deny', pattern: 'curl' });
      expect(imported?.note).toContain('more');
    },
  );

  it('is told aloud when not even its program is known', () => {
    const { rules, skipped } = read({ deny: ['Bash($SHELL -c x)'] });
    expect(rules).toEqual([]);
    expect(skipped).toMatchObject([{ from: 'Bash($SHELL -c x)', holdsBack: true }]);
  });
});

describe('a settings file', () => {
  it.each([
    ['a list that is none', { allow: 'Bash(ls)' }],
    ['a rule that is not text', { deny: [{ tool: 'Bash' }] }],
  ])('with %s is refused whole', (_what, permissions) => {
    expect(readRules(JSON.stringify({ permissions })).ok).toBe(false);
  });

  it('of a project holds in its folder only', () => {
    const parsed = readRules('{"permissions":{"allow":["Bash(ls:*)"]}}', {
      agent: '*',
      folder: '/home/me/a[b]/',
    });
    expect(parsed.ok && parsed.imported.rules[0]).toMatchObject({
      agent: '*',
      rule: { cwd: String.raw`/home/me/a\[b\]/**` },
    });
  });
});
