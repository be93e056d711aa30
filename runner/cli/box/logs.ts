import { displayPlain } from '../../../shared/base/index.ts';
import { BoxError, boxExit } from '../../boxes/errors.ts';
import { keptWindows, openLog } from '../../boxes/logs.ts';
import { captureWindow, scrollback, tmuxProgram } from '../../boxes/tmux.ts';
import { say, sayJson } from '../io.ts';
import type { Io } from '../io.ts';
import type { BoxFlags, Open } from './command.ts';

const followMs = 1_000;
/** More is nothing that tmux keeps: whoever is in the box may have put another program in its place. */
const mostBytes = 64 * 1024 * 1024;

/**
 * Shows what a window of a box shows and showed; with `written` and `follow`, and where the box does
 * not run, what was kept of what it wrote.
 *
 * @returns the exit status
 */
export async function showLogs(
  io: Io,
  name: string,
  open: Open,
  options: BoxFlags,
): Promise<number> {
  const { windows } = await open.boxes.state(name);
  const { follow = false, written = false, json } = options;
  if (windows === null || written || (follow && json !== true))
    return showWritten(io, name, open, options);
  const wanted = options.window ?? windows[0]?.name;
  if (wanted === undefined || windows.every((one) => one.name !== wanted))
    throw noWindow(name, wanted);
  const [, ...words] = captureWindow(wanted, scrollback);
  const done = open.boxes.exec(name, { argv: [tmuxProgram, ...words] });
  const chunks: Buffer[] = [];
  done.stderr?.resume();
  let bytes = 0;
  for await (const chunk of done.stdout ?? []) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > mostBytes) break;
  }
  if (bytes > mostBytes) done.signal('SIGKILL');
  done.close();
  if (bytes > mostBytes)
    throw new BoxError(
      boxExit.failed,
      `The window "${wanted}" says more than a window can hold.`,
      `What it wrote is kept outside of the box: interlock box logs ${name} --written`,
    );
  const lines = Buffer.concat(chunks).toString('utf8').trimEnd().split('\n');
  if (json === true) sayJson(io.stdout, { window: wanted, lines });
  else for (const line of lines) say(io.stdout, displayPlain(line));
  return 0;
}

async function showWritten(
  io: Io,
  name: string,
  { boxes, records }: Open,
  { window, follow = false, json }: BoxFlags,
): Promise<number> {
  const record = records.read(name);
  const kept = record === null ? [] : keptWindows(record);
  const wanted = window ?? kept[0] ?? '';
  const log = kept.includes(wanted) ? openLog(records.logsOf(name), kept.indexOf(wanted)) : null;
  if (log === null) throw noWindow(name, wanted);
  const stop = new AbortController();
  const off = io.onSignal(() => stop.abort());
  try {
    if (json === true) {
      sayJson(io.stdout, { window: wanted, lines: [...log.read(), log.rest()] });
      return 0;
    }
    for (;;) {
      // Asked first: what it wrote until its end is read then.
      const runs = follow && (await boxes.state(name)).state === 'running';
      for (const line of log.read()) say(io.stdout, displayPlain(line));
      if (!runs || stop.signal.aborted) break;
      await new Promise((next) => setTimeout(next, followMs));
    }
    if (log.rest() !== '') say(io.stdout, displayPlain(log.rest()));
    return 0;
  } finally {
    off();
    log.close();
  }
}

function noWindow(name: string, window: string | undefined): BoxError {
  return new BoxError(
    boxExit.failed,
    `There is no window "${window ?? ''}", or nothing of it was kept.`,
    `See interlock box status ${name}`,
  );
}
