import type { ReadStream, WriteStream } from 'node:tty';
import { BoxError, boxExit } from '../../boxes/errors.ts';
import type { BoxState, NamedBoxes } from '../../boxes/boxes.ts';
import type { BoxExec } from '../../boxes/runtime.ts';
import { openAtTerminal } from '../../boxes/terminal.ts';
import { tmuxProgram } from '../../boxes/tmux.ts';
import { exitCodeOfSignal } from '../io.ts';
import type { Io } from '../io.ts';
import { TerminalFilter } from './terminal-filter.ts';

/** What a terminal says of its size; one that does not know says 0. */
export function sizeOr(said: number | undefined, otherwise: number): number {
  return said === undefined || said < 1 ? otherwise : said;
}

/**
 * Runs a command of a box at this terminal, until it ends or this terminal does. The box gets a
 * terminal of its own, never a descriptor of the person's: what is typed and shown goes through here,
 * and what is shown can do no more with this terminal than draw.
 *
 * @param start given the terminal's side for the command
 * @returns the exit status
 */
export async function atTerminal(io: Io, start: (terminal: number) => BoxExec): Promise<number> {
  const output = io.stdout as Io['stdout'] & Partial<WriteStream>;
  const input = io.stdin as Io['stdin'] & Partial<ReadStream>;
  const size = () => ({ columns: sizeOr(output.columns, 80), rows: sizeOr(output.rows, 24) });
  const at = await openAtTerminal(size(), start);
  const { stream } = at;
  const fit = (): void => at.resize(size());
  input.setRawMode?.(true);
  const take = (chunk: Buffer | string): void => void stream.write(chunk);
  input.on('data', take);
  // Who asked something before has paused it, and then listening alone begins nothing.
  input.resume();
  const putBack = drawAt(io.stdout, stream);
  output.on('resize', fit);
  const off = io.onSignal(() => stream.destroy());
  const gone = new Promise<null>((resolve) => void stream.once('close', () => resolve(null)));
  const ended = await Promise.race([at.ended, gone]);
  // What it wrote last is still on its way.
  await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, lastWordsMs))]);
  off();
  input.off('data', take);
  output.off('resize', fit);
  input.setRawMode?.(false);
  input.pause();
  at.close();
  putBack();
  return ended === null ? 0 : (ended.exitCode ?? exitCodeOfSignal(ended.signal ?? 'SIGKILL'));
}

/** Shows the windows of a box at this terminal, until the person leaves them. */
export async function showBox(
  io: Io,
  boxes: NamedBoxes,
  name: string,
  words: (state: BoxState) => readonly string[],
): Promise<number> {
  requireTerminal(io);
  const argv = [tmuxProgram, ...words(await boxes.state(name)).slice(1)];
  const env = { TERM: io.env['TERM'] ?? 'xterm-256color' };
  return atTerminal(io, (terminal) => boxes.exec(name, { argv, terminal, env }));
}

function requireTerminal(io: Io): void {
  if (io.stdin.isTTY === true && io.stdout.isTTY === true) return;
  throw new BoxError(
    boxExit.failed,
    'This is not a terminal.',
    'Use interlock box exec NAME -- … without one.',
  );
}

const lastWordsMs = 100;

/**
 * Shows at a terminal what a box writes, which can do no more there than draw. The call that it
 * returns ends that, and puts the terminal back.
 */
function drawAt(terminal: NodeJS.WritableStream, from: NodeJS.ReadableStream): () => void {
  const filter = new TerminalFilter();
  const show = (chunk: Buffer): void => void terminal.write(filter.take(chunk));
  from.on('data', show);
  return () => {
    from.off('data', show);
    terminal.write(filter.end());
  };
}

/** Runs a command of a box with this program's own streams, none of which the box gets itself. */
export async function withStreams(io: Io, exec: BoxExec): Promise<number> {
  const toTerminals: (() => void)[] = [];
  const show = (from: NodeJS.ReadableStream | null, to: Io['stdout']): void => {
    const isTerminal = (to as Partial<WriteStream>).isTTY === true;
    if (from !== null && isTerminal) toTerminals.push(drawAt(to, from));
    else from?.pipe(to, { end: false });
  };
  show(exec.stdout, io.stdout);
  show(exec.stderr, io.stderr);
  if (exec.stdin !== null) {
    exec.stdin.on('error', () => {});
    io.stdin.pipe(exec.stdin);
  }
  const off = io.onSignal((signal) => exec.signal(signal));
  const begun = await exec.report.begun;
  const ended = await exec.report.ended;
  await exec.report.closed;
  off();
  io.stdin.unpipe();
  io.stdin.pause();
  const { stdout, stderr } = exec;
  await Promise.all([drained(stdout), drained(stderr)]);
  for (const putBack of toTerminals) putBack();
  exec.close();
  if (!begun.ok)
    throw new BoxError(
      boxExit.failed,
      `Nothing was started: ${begun.step}, ${begun.error}.`,
      'See interlock box status.',
    );
  return ended === null
    ? boxExit.failed
    : (ended.exitCode ?? exitCodeOfSignal(ended.signal ?? 'SIGKILL'));
}

/** What a program has written is there; what it left running may write on, but nobody reads it. */
async function drained(stream: NodeJS.ReadableStream | null): Promise<void> {
  if (stream === null) return;
  const source = stream as NodeJS.ReadableStream & { destroy(): void; readonly destroyed: boolean };
  if (source.destroyed) return;
  await Promise.race([
    new Promise((resolve) => stream.once('close', resolve)),
    new Promise((resolve) => setTimeout(resolve, lastWordsMs)),
  ]);
  source.destroy();
}
