import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { batchOf, everydayEngine, policyWith } from '../../everyday/machine.ts';

const fixtures = new URL('../../fixtures/bypass/', import.meta.url);

/** The lines of a fixture; in `verdicts.txt` the first word says what must come out. */
function linesOf(file: string): readonly string[] {
  return readFileSync(new URL(file, fixtures), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => (file === 'verdicts.txt' ? line.slice(line.indexOf(' ') + 1) : line))
    .map((line) => line.replaceAll('\\n', '\n').replaceAll('\\t', '\t'))
    .map((line) =>
      line.replaceAll(/\\x([\da-f]{2})/g, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      ),
    );
}

/** What only writes into a file of the project, or runs its own program, which is what that starter is for. */
const meant: Readonly<Record<string, readonly string[]>> = {
  'look-around': [],
  project: ['echo x >| y', 'echo x &> y', 'cargo run', 'go run ./x'],
};

const files = ['carriers', 'disclosing', 'options', 'places', 'spellings', 'steering', 'verdicts'];

/** The programs that the lines name are there, so that no line is asked about only for want of one. */
const names = files.flatMap((file) =>
  linesOf(`${file}.txt`).flatMap((line) =>
    Array.from(line.matchAll(/(?:^|[\s|;&(])([a-z][\w.+-]*)(?=\s|$)/g), ([, name = '']) => name),
  ),
);
const engine = everydayEngine(names);

describe.each(['look-around', 'project'])('under the starter %s', (starter) => {
  it.each(files)('nothing of %s.txt is allowed', async (file) => {
    const lines = linesOf(`${file}.txt`);
    const verdicts = await batchOf(
      engine,
      policyWith(starter),
      lines.map((text) => ({ session: file, wanted: 'ask', kind: 'exec', text })),
    );
    expect(verdicts).toHaveLength(lines.length);
    expect(lines.filter((_, at) => verdicts[at]?.verdict === 'allow')).toEqual(
      lines.filter((line) => meant[starter]?.includes(line)),
    );
  });
});
