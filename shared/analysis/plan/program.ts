import { classify } from '../carriers/classify.ts';
import { opaque } from '../parse/opaque.ts';
import { readCommand } from '../parse/read.ts';
import { confirmReading } from '../parse/confirm.ts';
import { quoteWord } from '../quote.ts';
import { findExecutable, programName, whyUnlocated } from '../resolve/executable.ts';
import type { Executable, Wrapper } from '../types.ts';
import { readShellCall, shells, type ShellCall } from '../wrappers/shells.ts';
import { readTransparent } from '../wrappers/transparent.ts';
import { deepestWrapping, type PlanContext, type Place, type Rendered } from './context.ts';
import { nameOf } from '../resolve/paths.ts';
import { literal, type Argument } from './expand.ts';
import { planList } from './list.ts';
import { pushStage } from './stage.ts';
import { inherited, known, withVariable } from './variables.ts';

/** Where a program's words stand. */
export interface ProgramPlace {
  readonly place: Place;
  /** Started by a shell, so a shell's construct may take its place, or by another program. */
  readonly by: 'shell' | 'program';
}

/** Plans a program that is a file: looks through transparent wrappers, classifies any other. */
export function planProgram(
  words: readonly Argument[],
  context: PlanContext,
  at: ProgramPlace,
): Rendered {
  const { place } = at;
  const [first] = words;
  if (first === undefined || first.live !== null)
    throw opaque('dynamic-executable', 'The name of a program is not written out.');
  if (place.wrappers.length > deepestWrapping)
    throw opaque('too-deep', 'Wrappers are nested too deeply.', place.span?.start, place.span?.end);
  const { surroundings, request } = context;
  const search = { surroundings, cwd: place.cwd, requestCwd: request.cwd };
  const executable = findExecutable(first.text, search);
  // An outline only shows what may run; it does not say that anything is missing.
  const planned = executable.kind === 'missing' && context.outline.depth === 0;
  const unlocated = planned ? whyUnlocated(first.text, search) : null;
  if (unlocated !== null)
    throw opaque(
      'dynamic-executable',
      `Which program ${first.text} is cannot be known: ${unlocated}.`,
      place.span?.start,
      place.span?.end,
    );
  if (executable.kind === 'file' && executable.trusted) {
    const program = programName(executable.realPath, surroundings.platform);
    const written = programName(executable.path, surroundings.platform);
    if (shells.has(program) || shells.has(written)) {
      const call = readShellCall(words);
      if (call !== null) return planShellText(call, context, { ...at, words, executable });
    }
    const inner = readTransparent(program, words);
    if (inner !== null) {
      const wrapper: Wrapper = { label: program, executable, argv: words.map((one) => one.text) };
      const rendered = planProgram(words.slice(inner.start), context, {
        by: 'program',
        place: {
          ...place,
          wrappers: [...place.wrappers, wrapper],
          assignments: [...place.assignments, ...inner.assignments],
          variables: inner.assignments.reduce(
            (all, { name, value }) => withVariable(all, name, known(value, true)),
            place.variables,
          ),
        },
      });
      return render([literal(executable.path), ...words.slice(1, inner.start)], rendered);
    }
  }
  const judged = classify(words, executable, { context, place });
  pushStage(context, place, { words, executable, ...judged });
  const file = executable.kind === 'file' ? executable.path : first.text;
  return render([literal(file), ...words.slice(1)], null);
}

/** Words in front of an inner command, or a whole command where there is none. */
function render(words: readonly Argument[], inner: Rendered | null): Rendered {
  const text = words.map((word) => word.render).join(' ');
  const live = words.some((word) => word.live !== null);
  const own = live ? null : words.map((word) => word.text);
  if (inner === null) return { text, argv: own };
  return {
    text: `${text} ${inner.text}`,
    argv: own === null || inner.argv === null ? null : [...own, ...inner.argv],
  };
}

/** The text that a shell is given is planned in its place. */
function planShellText(
  call: ShellCall,
  context: PlanContext,
  at: ProgramPlace & { words: readonly Argument[]; executable: Executable },
): Rendered {
  const { place, words, executable } = at;
  const { surroundings } = context;
  const label = `${words[0]?.text ?? ''} -c`;
  const span = place.span ?? undefined;
  const wrapper: Wrapper = { label, executable, argv: words.map((one) => one.text) };
  // A rendering means the same to bash and dash; other shells have start files and ways of their own.
  const named = executable.kind === 'file' ? executable : null;
  const portable = /^(?:bash|dash|sh)$/.test(nameOf(named?.realPath ?? ''));
  const dialect = /^(?:dash|ash|sh|busybox)$/.test(nameOf(named?.realPath ?? ''))
    ? 'posix'
    : 'bash';
  const shell = portable && named !== null ? named.path : surroundings.shell;
  if (call.needsBash && (dialect === 'posix' || !surroundings.shell.endsWith('bash')))
    throw opaque(
      'unsupported-syntax',
      'An option needs bash, which is not here.',
      span?.start,
      span?.end,
    );
  const list = readCommand(call.text, dialect);
  confirmReading(context.parser, call.text, list);
  if (list.length === 0)
    throw opaque('syntax-error', 'A shell is given nothing to run.', span?.start, span?.end);
  const before = context.bodies;
  context.bodies = [];
  const inner = planList(list, context, {
    ...place,
    variables: inherited(place.variables),
    wrappers: [...place.wrappers, wrapper],
    dialect,
    span: place.span ?? { start: 0, end: 0 },
  });
  const bodies = context.bodies.join('');
  context.bodies = before;
  if (inner.argv !== null && call.settings === '')
    return { text: inner.argv.map(quoteWord).join(' '), argv: inner.argv };
  const line = call.settings === '' ? inner.text : `${call.settings}; ${inner.text}`;
  const script = bodies === '' ? line : `${line}\n${bodies}`;
  // Bash runs ~/.bashrc when its input is a socket, even with -c.
  const real = shell === named?.path ? named.realPath : shell;
  const quiet = nameOf(real) === 'bash' ? [literal('--norc')] : [];
  return render([literal(shell), ...quiet, literal('-c'), literal(script)], null);
}
