import { planBuiltin } from '../builtins/builtin.ts';
import { opaque } from '../parse/opaque.ts';
import { piecesOf, type SimpleCommand } from '../parse/syntax.ts';
import { quoteWord } from '../quote.ts';
import { planAssignments, planPrefixes } from './assign.ts';
import { lookupAt, type PlanContext, type Place } from './context.ts';
import { expandWord, literal, type Argument } from './expand.ts';
import { unchanged } from './flow.ts';
import type { Planned } from './list.ts';
import { planProgram } from './program.ts';
import { planRedirects, renderRedirects } from './redirects.ts';
import { settings } from './variables.ts';

/** At most this many words in one command. */
const mostWords = 4096;

/** Plans a simple command: assignments, words, redirections. */
export function planSimple(
  command: SimpleCommand,
  context: PlanContext,
  at: { place: Place; guarded: boolean },
): Planned {
  const { place } = at;
  refuseStaleStatus(command);
  const lookup = lookupAt(context, place);
  const words: Argument[] = [];
  for (const word of command.words) {
    words.push(...expandWord(word, lookup));
    if (words.length > mostWords)
      throw opaque('too-long', 'The command has too many words.', command.start, command.end);
  }
  if (words.length === 0) {
    if (command.assignments.length > 0 && command.words.length > 0)
      throw opaque('assignment', 'A variable is set for nothing.', command.start, command.end);
    if (command.assignments.length > 0) return planAssignments(command, context, place);
    // A redirection alone creates or empties a file. The plan shows it as `:`, which does no more.
    words.push(literal(':'));
  }
  const { assignments, variables } = planPrefixes(command.assignments, context, place);
  if (words[0]?.live !== null)
    throw opaque(
      'dynamic-executable',
      'The name of the program is not written out.',
      command.start,
      command.end,
    );
  const redirects = planRedirects(command.redirects, context, place);
  const inner: Place = {
    ...place,
    writes: [...place.writes, ...redirects.writes],
    reads: [...place.reads, ...redirects.reads],
    assignments: settings(variables),
    span: place.span ?? { start: command.start, end: command.end },
  };
  const builtin = planBuiltin(words, context, {
    // What stands before a builtin ends with it; the others keep it to themselves anyway.
    place: { ...inner, variables: place.variables },
    guarded: at.guarded,
    assigned: assignments.length > 0,
  });
  const { text, argv } =
    builtin ??
    planProgram(words, context, {
      place: { ...inner, variables },
      by: assignments.length > 0 ? 'program' : 'shell',
    });
  const prefix = assignments.map(({ name, value }) => `${name}=${quoteWord(value)} `).join('');
  const rest = renderRedirects(redirects, context);
  return {
    text: command.words.length === 0 ? rest.trimStart() : prefix + text + rest,
    argv: prefix === '' && redirects.parts.length === 0 ? argv : null,
    flow: builtin?.flow ?? unchanged(place),
  };
}

/** A message that `cat` reads is a command too: a `$?` behind it would be that command's status. */
function refuseStaleStatus(command: SimpleCommand): void {
  const pieces = piecesOf(command);
  const message = pieces.some((piece) => piece.kind === 'text' && piece.cat !== undefined);
  if (message && pieces.some((piece) => piece.kind === 'status'))
    throw opaque(
      'parameter-expansion',
      'It is not known which status $? is.',
      command.start,
      command.end,
    );
}
