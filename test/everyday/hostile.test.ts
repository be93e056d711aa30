import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addRules, firstPolicy } from '../../shared/engine/policy/edit.ts';
import type { Rule } from '../../shared/engine/policy/types.ts';
import { cwd } from '../support/stages.ts';
import { batchOf, everydayEngine, policyWith } from './machine.ts';

const text = readFileSync(new URL('../fixtures/everyday/hostile.txt', import.meta.url), 'utf8');
const linesOf = (part: string) =>
  part
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({
      session: 'hostile',
      wanted: 'ask' as const,
      kind: 'exec' as const,
      text: line.includes('<<') ? line.replaceAll('\\n', '\n') : line,
    }));
const [onThisMachine = '', everywhere = ''] = text.split('# ---\n');
const here = linesOf(onThisMachine);
const anywhere = linesOf(everywhere);

/** A program that is not there would be asked about for that alone. */
const programs = [...here, ...anywhere].flatMap(
  ({ text: line }) => /^(?:\w+=(?:'[^']*'|\S*) )*([\w.+-]+)(?= |$)/.exec(line)?.[1] ?? [],
);

/** The same in other words: through a shell, behind something else, in a group. */
const spellings: Readonly<Record<string, (line: string) => string>> = {
  'as it stands': (line) => line,
  'in a shell of its own': (line) => `bash -c '${line.replaceAll("'", String.raw`'\''`)}'`,
  'behind something harmless': (line) => `ls >/dev/null; ${line}`,
  'in a group': (line) => (line.includes('<<') ? line : `( ${line} )`),
};

const every = Object.entries(spellings);

describe('lines that nobody may let through unseen', () => {
  it('are more than four hundred', () => {
    expect(here.length + anywhere.length).toBeGreaterThan(400);
  });

  it.each([
    // All that it allows the next one allows as well, in every spelling.
    ['look-around', 'gateway', every.slice(0, 1)],
    ['project', 'gateway', every],
    ['project', 'auto', every],
  ] as const)('never run on this machine under %s with host %s', async (starter, host, spelt) => {
    const engine = everydayEngine(programs, host);
    const document = policyWith(starter);
    for (const [spelling, spell] of spelt) {
      const spelled = [...here, ...anywhere].map((line) => ({ ...line, text: spell(line.text) }));
      const verdicts = await batchOf(engine, document, spelled);
      const passed = spelled.filter((_, at) => {
        const { verdict, host: where } = verdicts[at] ?? { verdict: 'allow' };
        return verdict === 'allow' && where !== 'sandbox';
      });
      expect(
        passed.map((line) => line.text),
        spelling,
      ).toEqual([]);
    }
  });

  it('are asked about where a sandbox would not take away what they do, or they would fail in it', async () => {
    const verdicts = await batchOf(
      everydayEngine(programs, 'auto'),
      policyWith('project'),
      anywhere,
    );
    const passed = anywhere.filter((_, at) => verdicts[at]?.verdict === 'allow');
    expect(passed.map((line) => line.text)).toEqual([]);
  });
});

/** What a person may have answered "always" to, as wide as it was offered. */
const answered = [
  'git commit -m x',
  'git status -s',
  'python3 src/train.py --epochs 1',
  'python3 src/evaluate.py',
  'node scripts/check-workspace.mjs',
  'bash scripts/list-packages.sh',
  './scripts/list-packages.sh',
  'php scripts/check-translations.php de',
  "python3 - <<'X'\nprint(1)\nX",
  "node -e 'console.log(1)'",
  'vendor/bin/phpunit --filter x',
  './gradlew test',
  'cat README.md',
  'grep -n x README.md',
  'wc -l src/app.ts',
  'sort files.txt',
  'npm test',
];

it('answers with "always", as wide as offered, let none of these lines run', async () => {
  const engine = everydayEngine(programs);
  const first = firstPolicy({ path: '/x', token: 'x' });
  const rules: Rule[] = [];
  for (const command of answered) {
    const request = { command, cwd };
    const at = await engine.situation({ agent: 'claude', document: first, request });
    const offers = await engine.propose(at, engine.decide(at));
    expect(offers.length, command).toBeGreaterThan(0);
    for (const offer of offers)
      rules.push(
        ...offer.rules.map((rule, index) => ({ ...rule, id: `${command} ${offer.id} ${index}` })),
      );
  }
  const edited = addRules(first, { agent: '*', rules });
  if (!edited.ok) throw new Error(edited.problem.message);
  const lines = [...here, ...anywhere];
  const verdicts = await batchOf(engine, edited.document, lines);
  const passed = lines.filter((_, at) => verdicts[at]?.verdict === 'allow');
  expect(passed.map(({ text: line }) => line)).toEqual([]);
});
