import type { Step } from './model/server.ts';

/** One thing that a host's shell tool does, seen in what its model is told. */
export interface Behaviour {
  readonly name: string;
  readonly steps: readonly Step[];
  /** From the results of these steps, in order, to the word that the table has. */
  readonly word: (results: readonly string[]) => string;
}

const last = (results: readonly string[]): string => results.at(-1) ?? '';
const whether =
  (pattern: RegExp, yes: string, no: string) =>
  (results: readonly string[]): string =>
    pattern.test(last(results)) ? yes : no;

const lines = 'for i in 1 2 3; do echo out$i; echo err$i >&2; done';

/** What a host that reads two pipes at a time makes of them is not the same each time. */
export const byChance = 'by chance';

export const behaviours: readonly Behaviour[] = [
  {
    name: 'a folder (`cd sub`, then the next call)',
    steps: [{ shell: 'cd sub' }, { shell: 'pwd' }],
    word: whether(/\/sub\b/u, 'lasts', 'gone'),
  },
  {
    name: 'an exported variable',
    steps: [{ shell: 'export SEEN=yes' }, { shell: 'echo "SEEN=$SEEN"' }],
    word: whether(/SEEN=yes/u, 'lasts', 'gone'),
  },
  {
    name: 'a job in the background (`&`)',
    steps: [
      { shell: 'tail -f /dev/null > /dev/null 2>&1 & echo $! > job.pid' },
      { shell: 'read job < job.pid; kill -0 $job && echo alive; kill $job' },
    ],
    word: whether(/alive/u, 'lives on', 'is ended'),
  },
  {
    name: 'an exit status that is not 0',
    steps: [{ shell: 'exit 3' }],
    word: whether(/\b3\b/u, 'told', 'not told'),
  },
  {
    name: 'output and errors',
    steps: [{ shell: lines }],
    word: whether(
      /out1(?:\s|\\n)+err1(?:\s|\\n)+out2(?:\s|\\n)+err2(?:\s|\\n)+out3(?:\s|\\n)+err3/u,
      'in order',
      'each for itself',
    ),
  },
  {
    name: 'no such program',
    steps: [{ shell: 'no-such-program' }],
    word: whether(/not found/u, 'told', 'not told'),
  },
];
