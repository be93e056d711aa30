import { finding } from '../finding.ts';
import type { RiskCheck, RoughFinding } from '../finding.ts';
import { hasOption, operands } from '../options.ts';

/** Programs that end many others, or the machine. */
export const checkStopping: RiskCheck = ({ name, args }) => {
  switch (name) {
    case 'kill':
      return kill(args);
    case 'pkill':
    case 'killall':
    case 'skill':
      return byName(name, args);
    case 'killall5':
      return [high('Ends every program on this machine.')];
    case 'shutdown':
    case 'reboot':
    case 'poweroff':
    case 'halt':
      return hasOption(args, 'c', ['--help']) ? [] : [high('Stops or restarts this machine.')];
    case 'init':
    case 'telinit':
      return /^[06]$/.test(args[0] ?? '') ? [high('Stops or restarts this machine.', args)] : [];
    case 'systemctl': {
      const [command = ''] = operands(args);
      return /^(?:reboot|poweroff|halt|kexec|rescue|emergency|isolate)$/.test(command)
        ? [high('Stops or restarts this machine.', [command])]
        : [];
    }
    default:
      return [];
  }
};

function high(text: string, words: readonly string[] = []): RoughFinding {
  return finding('stops-programs', 'high', text, words);
}

/** Behind the signal, `-1` is everything that may be signalled and `1` the first of all programs. */
function kill(args: readonly string[]): readonly RoughFinding[] {
  const [first = ''] = args;
  const signal = /^-(?:s|n|-signal)$/.test(first) ? 2 : /^-(?!-)./.test(first) ? 1 : 0;
  const targets = args.slice(signal === 1 && args.length === 1 ? 0 : signal);
  if (/^-(?:l|L|-list|-table)/.test(first)) return [];
  if (targets.includes('-1') && args.length > 1)
    return [high('Ends every program of this user.', ['-1'])];
  if (targets.includes('1')) return [high('Signals the first of all programs.', ['1'])];
  return [];
}

function byName(name: string, args: readonly string[]): readonly RoughFinding[] {
  const short = args.some(
    (word) => /^-[A-Za-z]*[uUG]/.test(word) || /^--(?:user|euid|uid|group)/.test(word),
  );
  const patterns = operands(args, new Set(['-u', '-U', '-G', '-g', '-s', '--signal', '-P', '-t']));
  const every =
    name === 'pkill' && patterns.some((word) => /^(?:\.|\.\*|\^|\$|\^\.\*\$?)?$/.test(word));
  if (every || (short && patterns.length === 0))
    return [high('Ends every program of a user.', args)];
  const own = patterns.find((word) => /interlock/i.test(word));
  return own === undefined ? [] : [high('Ends Interlock itself.', [own])];
}

const bomb = /([\w:.-]+)\s*\(\)\s*\{[^}]*\1\s*\|\s*\1\s*&[^}]*\}/;

/** A function that starts itself twice: no plan, so the text decides. */
export function checkForkBomb(text: string): RoughFinding | null {
  return bomb.test(text)
    ? high('Starts itself again and again, until this machine stands still.')
    : null;
}
