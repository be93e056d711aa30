import type { Plan, Stage } from '../../../shared/engine/plan/types.ts';

/**
 * Whether dash reads a line in another way than bash, so that only bash can be compared. Builtins
 * are told by the plan: their names may be written with quotes and backslashes.
 */
export function onlyBash(line: string, plan: Plan): boolean {
  const joined = line.replaceAll('\\\n', '');
  const syntax =
    /\[\[|\$'|<<<|<\(|&>|\|&|\{.*(?:,|\.\.).*\}|\btime\b|=~|:~|\[\^|,.*\}|-v\b|==|echo.*\\|echo\s+-|pipefail|\btype\b|\$\{\w+\//s;
  return syntax.test(joined) || plan.stages.some(isBashOnly);
}

function isBashOnly({ executable, argv }: Stage): boolean {
  if (executable.kind !== 'builtin') return false;
  const words = argv.slice(1);
  switch (executable.name) {
    case 'echo':
      return words.some((word) => word.includes('\\') || word.startsWith('-'));
    case 'set':
      return words.includes('pipefail');
    case 'test':
    case '[':
      return words.includes('==') || words.includes('-v');
    case 'pushd':
    case 'type':
      return true;
    default:
      return false;
  }
}
