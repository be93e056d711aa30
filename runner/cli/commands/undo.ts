import { Command } from 'commander';
import { displayPlain } from '../../../shared/base/index.ts';
import { openHome } from '../../../shared/home/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import type { RunnerClient } from '../../../shared/ipc/index.ts';
import type {
  ChangeBody,
  ChangesSummary,
  ShownChange,
  UndoBody,
} from '../../../shared/wire/index.ts';
import type { CommandModule } from '../command-table.ts';
import { CliError } from '../failure.ts';
import { exitCodes, say, sayJson } from '../io.ts';
import type { Output } from '../io.ts';
import { parseCount, sayDuration } from '../options.ts';
import { requirePersonHere } from '../presence.ts';

interface UndoOptions {
  readonly list?: boolean;
  readonly file?: readonly string[];
  readonly dryRun?: boolean;
  readonly limit: number;
  readonly json?: boolean;
}

/** Everything in a large workspace may have to be looked at. */
const timeoutMs = 300_000;

/** `interlock undo`: what commands changed in a workspace, and back to how it was before. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('undo')
    .summary('take back what a command changed')
    .description(
      'Puts the files that a command changed back as they were before it. A file that was changed again since stays as it is. What is taken back is an entry of its own, which can be taken back, too. Needs a person at a terminal. Exits with 1 where something was left.',
    )
    .argument('[id]', 'which entry; the newest command when nothing is said')
    .option('--list', 'what there is to take back, newest first')
    .option('--limit <count>', 'how many to list', parseCount, 20)
    .option(
      '--file <path>',
      'only this file; may stand several times',
      (path: string, all: readonly string[] | undefined) => [...(all ?? []), path],
    )
    .option('--dry-run', 'show what changed and what would be done; changes nothing')
    .option('--json', 'the answer as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  interlock undo --list\n  interlock undo --dry-run\n  interlock undo 5f3c… --file src/main.ts',
    )
    .action(async (asked: string | undefined, options: UndoOptions) => {
      const { list = false, file, dryRun = false, limit, json = false } = options;
      const home = openHome(io.env, { asOwner: true });
      const runner = runnerClient({ socketPath: home.clientSocket(), timeoutMs });
      if (list) {
        const entries = await runner.changes({ limit });
        if (json) sayJson(io.stdout, entries);
        else for (const line of listLines(entries, io.now())) say(io.stdout, line);
        done(exitCodes.ok);
        return;
      }
      if (!dryRun) requirePersonHere(io, home);
      const id = asked ?? (await newest(runner));
      const entry = dryRun && !json ? await changeOf(runner, id) : null;
      const body = await runner.undo({ id, ...(file !== undefined && { files: file }), dryRun });
      if (json) sayJson(io.stdout, body);
      else {
        const isMeant = (path: string): boolean => file?.includes(path) ?? true;
        if (entry !== null)
          for (const change of entry.shown) if (isMeant(change.path)) sayChange(io.stdout, change);
        for (const line of resultLines(id, body)) say(io.stdout, line);
      }
      done(body.files.every(({ why }) => why === null) ? exitCodes.ok : 1);
    });

async function newest(runner: RunnerClient): Promise<string> {
  const entries = await runner.changes({ limit: 500 });
  const found = entries.find(({ undoes, takenBackBy }) => undoes === null && takenBackBy === null);
  if (found !== undefined) return found.id;
  throw new CliError(
    'There is nothing to take back.',
    'See "interlock undo --list". Kept are commands in the sandbox; undo.on in config.json says more.',
  );
}

async function changeOf(runner: RunnerClient, id: string): Promise<ChangeBody | null> {
  const [entry] = await runner.changes({ id });
  return entry !== undefined && 'shown' in entry ? entry : null;
}

function listLines(entries: readonly ChangesSummary[], now: number): readonly string[] {
  if (entries.length === 0) return ['There is nothing to take back.'];
  return entries.flatMap((entry) => {
    const { id, at, agent, files, undoes, takenBackBy, isCutOff, workspace, command } = entry;
    const what = undoes === null ? oneLine(command) : `taken back: ${oneLine(command)}`;
    const notes = [
      ...(takenBackBy === null ? [] : ['taken back']),
      ...(isCutOff ? ['cut off, later changes may be among these'] : []),
    ];
    return [
      `${id}  ${sayDuration(now - at)} ago  ${files} ${files === 1 ? 'path' : 'paths'}  ${displayPlain(agent)}${notes.length === 0 ? '' : `  (${notes.join('; ')})`}`,
      `    ${what}`,
      `    in ${displayPlain(workspace)}`,
    ];
  });
}

function sayChange(
  output: Output,
  { path, what, kind, diff, note, with: others }: ShownChange,
): void {
  const also = others.length === 0 ? '' : `  (or by ${others.join(', ')}, which ran at that time)`;
  const mode = note === null ? '' : `  ${note}`;
  say(
    output,
    `${what.padEnd(8)}${kind === 'file' ? '' : `${kind} `}${displayPlain(path)}${mode}${also}`,
  );
  if (diff !== null && kind === 'file')
    for (const line of diff.split('\n')) say(output, `    ${oneLine(line)}`);
}

function resultLines(id: string, { dryRun, files, id: made }: UndoBody): readonly string[] {
  const back = files.filter(({ result }) => result === 'taken-back').length;
  const already = files.filter(({ result }) => result === 'already').length;
  const left = files.filter(({ why }) => why !== null);
  return [
    ...left.map(
      ({ path, result, why }) => `left    ${displayPlain(path)}: ${why ?? ''} (${result})`,
    ),
    `${dryRun ? 'Would take back' : 'Taken back'}: ${back}. Left as they are: ${left.length}.` +
      (already === 0 ? '' : ` As before already: ${already}.`),
    ...(made === null ? [] : [`To bring it again: interlock undo ${made}`]),
    ...(dryRun && back > 0 ? [`To do so: interlock undo ${id}`] : []),
  ];
}

function oneLine(text: string): string {
  return displayPlain(text).replaceAll('\n', '⏎ ');
}
