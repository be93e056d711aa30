import { decide } from '../../shared/engine/decide/decide.ts';
import { resolvePolicy } from '../../shared/engine/index.ts';
import type { Analyser } from '../../shared/engine/plan/analyse.ts';
import type { PolicyDocument, Rule, Surroundings } from '../../shared/engine/index.ts';

/** Words that every agent says all day. */
export const simpleCommands: readonly string[] = ['git status -s'];

/** Plain, piped, chained, wrapped, quoted, risky and opaque ones in the mix of a working day. */
export const mixedCommands: readonly string[] = [
  'git status -s',
  'ls -la',
  'cat README.md | head -20',
  'grep -rn "needle" . | sort | uniq -c',
  'timeout 30 make -j2 && make test',
  'bash -c "ls | wc -l"',
  'echo hello > notes.txt',
  'rm -rf build',
  'echo "it is $(date)"',
  'for f in *; do echo "$f"; done',
];

/** Microseconds for one analysis and one decision, and how many of both fit into a second. */
export interface DecisionFigures {
  readonly rules: number;
  readonly commands: 'simple' | 'mixed';
  readonly analyseMicros: number;
  readonly decideMicros: number;
  readonly perSecond: number;
}

export interface DecisionOptions {
  readonly analyser: Analyser;
  readonly surroundings: Surroundings;
  readonly cwd: string;
  readonly rules: number;
  readonly commands: 'simple' | 'mixed';
}

const batches = 60;
const batchSize = 50;

/** Measures analysis and decision apart, each over the same commands. */
export function measureDecisions(options: DecisionOptions): DecisionFigures {
  const { analyser, surroundings, cwd, rules, commands } = options;
  const texts = commands === 'simple' ? simpleCommands : mixedCommands;
  const requests = texts.map((command) => ({ command, cwd }));
  const analyses = requests.map((request) => analyser.analyse(request, surroundings));
  const document = documentWith(rules);
  const analyse = (index: number): unknown =>
    analyser.analyse(requests[index % requests.length] ?? { cwd }, surroundings);
  const decideOne = (index: number): unknown => {
    const at = index % requests.length;
    const [request, analysis] = [requests[at], analyses[at]];
    if (request === undefined || analysis === undefined) return null;
    return decide({
      policy: resolvePolicy(document, { agent: 'bench' }),
      analysis,
      request,
      host: 'gateway',
      now: 0,
      platform: surroundings.platform,
      home: surroundings.home,
      hashFile: () => null,
    });
  };
  const analyseMicros = microsOf(analyse);
  const decideMicros = microsOf(decideOne);
  const perSecond = 1_000_000 / (analyseMicros + decideMicros);
  return { rules, commands, analyseMicros, decideMicros, perSecond };
}

/** The median batch counts: what else the machine does meanwhile falls on the others. */
function microsOf(work: (index: number) => unknown): number {
  const times: number[] = [];
  for (let batch = 0; batch < batches; batch += 1) {
    const start = performance.now();
    for (let index = 0; index < batchSize; index += 1) work(index);
    times.push(performance.now() - start);
  }
  const warm = times.slice(batches / 3).toSorted((a, b) => a - b);
  return ((warm[Math.floor(warm.length / 2)] ?? NaN) * 1000) / batchSize;
}

/** A policy with this many exact rules; those for `git status` and `ls` stand at its end. */
function documentWith(count: number): PolicyDocument {
  const wanted: readonly Rule[] = [
    { id: 'git', pattern: '/usr/bin/git', args: ['status', '...'] },
    { id: 'ls', pattern: '/usr/bin/ls' },
  ];
  const filler = Array.from({ length: Math.max(0, count - wanted.length) }, (_, index): Rule => {
    const pattern = `/opt/tools/${String(index)}/bin/tool`;
    return { id: `r${String(index)}`, pattern, args: ['run', String(index)] };
  });
  return {
    version: 1,
    agents: { bench: { security: 'allowlist', allowlist: [...filler, ...wanted] } },
  };
}
