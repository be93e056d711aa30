import { describe, expect, it } from 'vitest';
import { readRules } from '../../../shared/agents/import.ts';
import type { Imported } from '../../../shared/wire/agent-import.ts';

function read(text: string): Imported {
  const parsed = readRules(text, { format: 'codex' });
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.imported;
}

const errorOf = (text: string): string | null => {
  const parsed = readRules(text, { format: 'codex' });
  return parsed.ok ? null : parsed.error;
};

const file = `# What the team agreed on
host_executable(
    name = "git",
    paths = ["/usr/bin/git", '/opt/git/bin/git'],
)
prefix_rule(
    pattern = ["git", ["status", "diff"]],   # reads only
    justification = "looks only",
    match = ["git status -s", ["git", "diff", "a b"]],
    not_match = ["git push"],
)
prefix_rule(pattern=["rm"], decision="forbidden", justification="Use \\"trash\\".")
prefix_rule(pattern=[["npm", "pnpm"], "publish"], decision="prompt",)
`;

describe('a rules file of Codex', () => {
  it('becomes one rule for each program and each of its paths', () => {
    const { rules, skipped } = read(file);
    expect(skipped).toEqual([]);
    const rule = {
      effect: 'allow',
      args: [['status', 'diff'], '...'],
      note: 'looks only',
    };
    expect(rules.map((one) => one.rule)).toEqual([
      {
        ...rule,
        pattern: 'git',
        examples: { match: ['git status -s', "git diff 'a b'"], noMatch: ['git push'] },
      },
      { ...rule, pattern: '/usr/bin/git', examples: { noMatch: ['git push'] } },
      { ...rule, pattern: '/opt/git/bin/git', examples: { noMatch: ['git push'] } },
      { effect: 'deny', pattern: 'rm', note: 'Use "trash".' },
      { effect: 'ask', pattern: 'npm', args: ['publish', '...'] },
      { effect: 'ask', pattern: 'pnpm', args: ['publish', '...'] },
    ]);
    expect(new Set(rules.map(({ agent }) => agent))).toEqual(new Set(['codex']));
  });

  it('takes wildcards of ours for the plain letters that they are there', () => {
    expect(read('prefix_rule(pattern=["ls", "*.ts", "..."])').rules[0]?.rule).toMatchObject({
      args: [String.raw`\*.ts`, String.raw`\...`, '...'],
    });
  });

  it('lists what is for other things than commands', () => {
    const { skipped } = read('network_rule(host="example.org", decision="allow")');
    expect(skipped).toMatchObject([{ from: 'network_rule(…), line 1', holdsBack: false }]);
  });

  it.each([
    ['a variable', 'GIT = "git"\nprefix_rule(pattern=[GIT])', 'Line 1'],
    ['a name for a value', 'prefix_rule(pattern=[git])', 'Line 1'],
    ['a loop', 'for x in ["a"]:\n    prefix_rule(pattern=[x])', 'Line 1'],
    ['a function', 'def f():\n    pass', 'Line 1'],
    ['a load', 'load("other.star", "x")', 'Line 1'],
    ['a sum of texts', 'prefix_rule(pattern=["g" + "it"])', 'Line 1'],
    ['a call as a value', 'prefix_rule(pattern=list("a"))', 'Line 1'],
    ['an argument without a name', 'prefix_rule(["git"])', 'Line 1'],
    ['an argument twice', 'prefix_rule(pattern=["a"],\n pattern=["b"])', 'Line 2'],
    ['an unknown argument', 'prefix_rule(pattern=["a"], unless=["b"])', 'unless'],
    ['an unknown decision', 'prefix_rule(pattern=["a"], decision="Allow")', 'decision'],
    ['an empty pattern', 'prefix_rule(pattern=[])', 'pattern'],
    ['no pattern', 'prefix_rule(decision="forbidden")', 'pattern'],
    ['an empty word', 'prefix_rule(pattern=[""])', 'not a word'],
    ['an empty choice', 'prefix_rule(pattern=["a", []])', 'not a word'],
    ['a list in a choice', 'prefix_rule(pattern=["a", [["b"]]])', 'not a word'],
    ['a relative program that is allowed', 'prefix_rule(pattern=["./x"])', './x'],
    ['a text that never ends', 'prefix_rule(pattern=["a', 'Line 1'],
    ['a text over lines', 'prefix_rule(pattern=["""a"""])', 'several lines'],
    ['a text with a prefix', 'prefix_rule(pattern=[r"a"])', 'prefix'],
    ['an unknown escape', String.raw`prefix_rule(pattern=["\x41"])`, 'escape'],
    ['an end too early', 'prefix_rule(pattern=["a"]', 'too early'],
    ['a relative path', 'host_executable(name="a", paths=["bin/a"])', 'path'],
    ['a path of another name', 'host_executable(name="a", paths=["/bin/b"])', 'path'],
    ['a deep list', `prefix_rule(pattern=${'['.repeat(5000)})`, 'neither text nor a list'],
  ])('with %s is refused whole, because a denial could hide in it', (_what, text, said) => {
    expect(errorOf(`${text}\n`)).toContain(said);
  });
});
