import type { CommandList, Pipeline } from '../parse/syntax.ts';
import { knownLines } from '../programs/known-output.ts';
import type { Where } from '../programs/known-output.ts';

/**
 * `find … | while read -r f; do …; done`, where the names can be told ahead, goes through them: a loop
 * over words that are written out, in a shell of its own. Null for anything else.
 */
export function loopOver(pipeline: Pipeline, where: Where): Pipeline | null {
  const { commands, withErrors } = pipeline;
  const at = commands.findIndex(({ kind }) => kind === 'while');
  const loop = commands[at];
  if (at < 1 || loop?.kind !== 'while' || loop.redirects.length > 0) return null;
  if (withErrors.slice(0, at).includes(true)) return null;
  const name = readBy(loop.condition);
  if (name === null) return null;
  const lines = knownLines(commands.slice(0, at), where);
  if (lines === null || lines === '') return null;
  const { start, end, redirects } = loop;
  const words = lines.split('\n').map((text) => {
    const pieces = [{ kind: 'text', text, quoted: true } as const];
    return { pieces, start, end };
  });
  const goes = { kind: 'for', name, words, body: loop.body, start, end, redirects } as const;
  const body = [
    {
      pipeline: { commands: [goes], withErrors: [], negated: false, timed: null, start },
      joiner: ';',
    },
  ] as const;
  const shell = { kind: 'subshell', body, redirects: [], start, end } as const;
  return {
    ...pipeline,
    commands: [shell, ...commands.slice(at + 1)],
    withErrors: withErrors.slice(at),
  };
}

/** `read -r NAME`, with or without an empty `IFS`: the variable; null for another condition. */
function readBy(condition: CommandList): string | null {
  const [item, more] = condition;
  const [command, next] = item?.pipeline.commands ?? [];
  if (more !== undefined || next !== undefined || command?.kind !== 'simple') return null;
  if (item?.pipeline.negated === true || command.redirects.length > 0) return null;
  const isBare = command.assignments.every(
    ({ name, value }) =>
      name === 'IFS' && value.pieces.every((one) => one.kind === 'text' && one.text === ''),
  );
  const words = command.words.map(({ pieces: [one, other] }) =>
    other === undefined && one?.kind === 'text' ? one.text : '',
  );
  return isBare ? (/^read (?:-r )?([A-Za-z_]\w*)$/.exec(words.join(' '))?.[1] ?? null) : null;
}
