import { describe, expect, it } from 'vitest';
import { addRules, firstPolicy } from '../../shared/engine/policy/edit.ts';
import type { Rule } from '../../shared/engine/policy/types.ts';
import { batchOf, everydayEngine, policyWith } from './machine.ts';

const engine = everydayEngine();

async function under(rules: readonly Rule[], ...texts: readonly string[]) {
  const edited = addRules(firstPolicy({ path: '/x', token: 'x' }), { agent: '*', rules });
  if (!edited.ok) throw new Error(edited.problem.message);
  const lines = texts.map(
    (text) => ({ session: 'w', wanted: 'quiet', kind: 'exec', text }) as const,
  );
  return batchOf(engine, edited.document, lines);
}

const verdicts = (all: Awaited<ReturnType<typeof under>>) => all.map(({ verdict }) => verdict);

describe('a rule for what only reads', () => {
  const git: Rule = { id: 'g', pattern: 'git', only: 'reads' };

  it('covers uses of which the record says so, and no other', async () => {
    const all = await under(
      [git],
      'git log --oneline',
      'git cherry -v main',
      'git branch --list',
      'git branch new',
      'git log --output=a.txt',
      'git push',
      'git log > a.txt',
    );
    expect(verdicts(all)).toEqual(['allow', 'allow', 'allow', 'ask', 'ask', 'ask', 'ask']);
  });

  it('says why it does not cover the rest', async () => {
    const [verdict] = await under([git], 'git gc');
    expect(verdict?.message).toContain('covers what only reads');
  });

  it('covers nothing of a program that has no record', async () => {
    const all = await under([{ id: 'c', pattern: 'ktlint', only: 'reads' }], 'ktlint a.kt');
    expect(verdicts(all)).toEqual(['ask']);
  });
});

describe('xargs', () => {
  it('is allowed with a program that a rule lets take any words, where the files are known', async () => {
    const all = await under(
      [{ id: 'w', pattern: 'grep', args: ['-n', '...'] }],
      "find src -name '*.ts' | xargs grep -n x",
      "find src -name '*.ts' | xargs grep -l x",
      'cat files.txt | xargs grep -n x',
      'find . | xargs grep -n x',
    );
    expect(verdicts(all).slice(1)).toEqual(['ask', 'ask', 'ask']);
  });

  it('is not allowed by a rule that has all the words of the program', async () => {
    const all = await under(
      [
        { id: 'f', pattern: 'find' },
        { id: 'w', pattern: 'wc', args: ['-l'] },
      ],
      "find src -name '*.ts' | xargs wc -l",
    );
    expect(verdicts(all)).toEqual(['ask']);
  });
});

describe('variables', () => {
  it('may have tests import from the project, and nothing else', async () => {
    const rules: readonly Rule[] = [
      { id: 'p', pattern: 'pytest' },
      { id: 'r', pattern: 'ruff' },
    ];
    const all = await under(
      rules,
      'PYTHONPATH=src pytest',
      'PYTHONPATH=src:lib pytest -q',
      'PYTHONPATH=/tmp/x pytest',
      'PYTHONPATH=src: pytest',
      'PYTHONPATH=src ruff check',
      'export PYTHONPATH=src; pytest',
    );
    expect(verdicts(all)).toEqual(['allow', 'allow', 'ask', 'ask', 'ask', 'ask']);
  });

  it('let read split a line, and nothing else', async () => {
    const all = await under(
      [],
      'while IFS=, read -r a b; do echo "$b"; done < files.txt',
      'IFS=, echo x',
      'IFS=,; echo x',
    );
    expect(verdicts(all)).toEqual(['allow', 'ask', 'ask']);
  });
});

it('a rule for edits does not make a missing rule for a program read as expired', async () => {
  const lines = [
    { session: 'w', wanted: 'ask', kind: 'exec', text: './gradle-of-mine build' },
  ] as const;
  const [verdict] = await batchOf(engine, policyWith('project'), lines);
  expect(verdict?.message).toBe('No program called ./gradle-of-mine was found.');
});
