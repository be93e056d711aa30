import { inert, plainOptions } from '../forms.ts';
import { pflag } from '../syntax.ts';
import type { Command, Options } from '../types.ts';
import { command } from './shapes.ts';

type More = Partial<Command>;

/** A subcommand as cobra reads it; words that are not options name nothing here. */
export function cobra(does: string, options: string | Options = '', more: More = {}): Command {
  const own = typeof options === 'string' ? plainOptions(`${options} --help`) : options;
  return command(pflag, does, own, { operands: { rest: inert }, ...more });
}

/** One that only prints. */
export function looks(does: string, options: string | Options = '', more: More = {}): Command {
  return cobra(does, options, { offers: 'reads', ...more });
}

/** One that only leads to others. */
export function group(
  does: string,
  commands: Readonly<Record<string, Command>>,
  options: Options = {},
): Command {
  return { does, syntax: pflag, options: { ...plainOptions('--help'), ...options }, commands };
}
