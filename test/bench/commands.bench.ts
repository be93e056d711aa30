import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { surroundingsOf } from '../../shared/home/machine.ts';
import { loadAnalyser } from '../support/analyser.ts';
import { decide } from '../../shared/engine/decide/decide.ts';
import { parsePolicy, resolvePolicy } from '../../shared/engine/index.ts';
import type { EffectivePolicy, Rule } from '../../shared/engine/index.ts';
import { hostileCommands, hostileRules } from './hostile-commands.ts';

/** One measured case: analysis and decision together, in microseconds. */
export interface CommandFigures {
  readonly name: string;
  readonly commands: number;
  readonly median: number;
  readonly slowest: number;
  readonly perSecond: number;
}

/** What is measured: commands, and the policy that they are held against. */
export interface CommandCase {
  readonly name: string;
  readonly commands: readonly string[];
  readonly policy: EffectivePolicy;
}

/**
 * Real commands and hostile ones; `root` is the project's folder, in which the corpus lies. The
 * policy of the corpus holds its own rules, that of the others 10,000, and two that were written to
 * be slow.
 */
export function commandCases(root: string): readonly CommandCase[] {
  const commands = everydayCommands(root);
  const policy = everydayPolicy(root);
  const hostile = hostilePolicy();
  return [
    { name: 'everyday commands', commands, policy },
    { name: 'everyday commands, 10,000 rules', commands, policy: hostile },
    { name: 'chains of five of them', commands: chains(commands), policy },
    { name: 'loops around them (opaque)', commands: commands.map(loop), policy },
    ...Object.entries(hostileCommands).map(([name, text]) => ({
      name,
      commands: [text],
      policy: hostile,
    })),
  ];
}

function everydayCommands(root: string): readonly string[] {
  return readFileSync(join(root, 'test/fixtures/everyday/commands.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => (line.includes('<<') ? line.replaceAll('\\n', '\n') : line));
}

function chains(commands: readonly string[]): readonly string[] {
  const plain = commands.filter((line) => !line.includes('\n'));
  return plain.map((_, at) => plain.slice(at, at + 5).join(' && '));
}

function loop(command: string): string {
  return `for x in a b; do ${command}\ndone`;
}

function everydayPolicy(root: string): EffectivePolicy {
  return policyOf(readFileSync(join(root, 'test/fixtures/everyday/policy.json'), 'utf8'));
}

function hostilePolicy(): EffectivePolicy {
  const filler = Array.from({ length: 10_000 }, (_, index): Rule => {
    const pattern = `/opt/tools/${String(index)}/*/tool`;
    return { id: `r${String(index)}`, pattern, args: ['run', String(index)] };
  });
  const allowlist = [...filler, ...hostileRules];
  return policyOf(
    JSON.stringify({ version: 1, agents: { claude: { security: 'allowlist', allowlist } } }),
  );
}

function policyOf(text: string): EffectivePolicy {
  const parsed = parsePolicy(text);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return resolvePolicy(parsed.document, { agent: 'claude' });
}

/** Analyses and decides, on this machine, without running anything. */
export async function judgeOn(cwd: string): Promise<Judge> {
  const analyser = await loadAnalyser();
  const uid = process.getuid?.() ?? 0;
  const surroundings = surroundingsOf({ env: process.env, uid, platform: process.platform });
  return (command, policy) => {
    const request = { command, cwd };
    decide({
      policy,
      analysis: analyser.analyse(request, surroundings),
      request,
      host: 'gateway',
      now: 0,
      platform: surroundings.platform,
      home: surroundings.home,
      hashFile: () => null,
    });
  };
}

export type Judge = (command: string, policy: EffectivePolicy) => void;

/** Milliseconds of the processor, so that what else the machine does is left out. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Each command at least twice, for about `milliseconds`; the first third of it does not count. */
export function measureCommands(
  { name, commands, policy }: CommandCase,
  judge: Judge,
  { milliseconds = 500, clock = processorTime } = {},
): CommandFigures {
  const times: number[] = [];
  const run = (until: number): void => {
    do {
      let last = clock();
      for (const command of commands) {
        judge(command, policy);
        const now = clock();
        times.push((now - last) * 1000);
        last = now;
      }
    } while (clock() < until);
  };
  run(clock() + milliseconds / 3);
  times.length = 0;
  run(clock() + milliseconds);
  times.sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)] ?? 0;
  const sum = times.reduce((total, time) => total + time, 0);
  return {
    name,
    commands: commands.length,
    median,
    slowest: times.at(-1) ?? 0,
    perSecond: Math.round((times.length / sum) * 1e6),
  };
}
