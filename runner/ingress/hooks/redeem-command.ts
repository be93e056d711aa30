import { quoteWords } from '../../../shared/analysis/quote.ts';

/** How the command line is started by somebody who shares nothing with the runner but the machine. */
export interface CommandLineProgram {
  /** Absolute path of Node. */
  readonly node: string;
  /** Absolute path of the command line's program. */
  readonly program: string;
  /** Absolute path of the home where it is not the default one, else null. */
  readonly home: string | null;
}

/** The text that has a shell run what a ticket stands for; every word quoted. */
export function redeemCommand(program: CommandLineProgram, ticket: string): string {
  return quoteWords(redeemWords(program, ticket));
}

/** The same as words, for hosts that start a program without a shell. */
export function redeemWords(
  { node, program, home }: CommandLineProgram,
  ticket: string,
): readonly string[] {
  const words = [node, program, 'run', '--ticket', ticket];
  return home === null ? words : ['/usr/bin/env', `INTERLOCK_HOME=${home}`, ...words];
}
