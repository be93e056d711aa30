import { quoteWord } from '../../../shared/analysis/quote.ts';

/** How Interlock's own program is started. */
export interface OwnProgram {
  /** Absolute paths of Node and of the command line. */
  readonly words: readonly string[];
  /** Where the home is not the default one. */
  readonly home: string | null;
}

/** The words that start the one command that a ticket stands for. */
export function ticketWords({ words }: OwnProgram, ticket: string): readonly string[] {
  return [...words, 'run', '--ticket', ticket];
}

/** The same as shell text, for hosts that run nothing else. */
export function ticketLine(program: OwnProgram, ticket: string): string {
  const line = ticketWords(program, ticket).map(quoteWord).join(' ');
  return program.home === null ? line : `INTERLOCK_HOME=${quoteWord(program.home)} ${line}`;
}
