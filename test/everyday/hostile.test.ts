import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
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

/** The same in other words: through a shell, behind something else, in a group. */
const spellings: Readonly<Record<string, (line: string) => string>> = {
  'as it stands': (line) => line,
  'in a shell of its own': (line) => `bash -c '${line.replaceAll("'", String.raw`'\''`)}'`,
  'behind something harmless': (line) => `ls >/dev/null; ${line}`,
  'in a group': (line) => (line.includes('<<') ? line : `( ${line} )`),
};

describe('lines that nobody may let through unseen', () => {
  it('are more than two hundred', () => {
    expect(here.length + anywhere.length).toBeGreaterThan(200);
  });

  it.each([
    ['look-around', 'gateway'],
    ['project', 'gateway'],
    ['project', 'auto'],
  ] as const)('never run on this machine under %s with host %s', async (starter, host) => {
    const engine = everydayEngine([], host);
    const document = policyWith(starter);
    for (const [spelling, spell] of Object.entries(spellings)) {
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
    const verdicts = await batchOf(everydayEngine([], 'auto'), policyWith('project'), anywhere);
    const passed = anywhere.filter((_, at) => verdicts[at]?.verdict === 'allow');
    expect(passed.map((line) => line.text)).toEqual([]);
  });
});
