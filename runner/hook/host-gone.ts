import { closeSync, constants, fstatSync, openSync } from 'node:fs';

const everyMs = 250;
const stdout = 1;

/**
 * Calls back once nobody waits for the answer any more: the process that started the hook is gone,
 * or has closed the pipe that the answer would go to. A host that kills only the shell around its
 * hook leaves the hook running; without this, a person would go on being asked for nobody.
 */
export function onceHostIsGone(listener: () => void): void {
  const parent = process.ppid;
  const watchesPipe = process.platform === 'linux' && isPipe();
  const timer = setInterval(() => {
    if (process.ppid === parent && !(watchesPipe && pipeHasNoReader())) return;
    clearInterval(timer);
    listener();
  }, everyMs);
  timer.unref();
}

function isPipe(): boolean {
  try {
    return fstatSync(stdout).isFIFO();
  } catch {
    return false;
  }
}

/** To open a pipe for writing, without waiting, fails when nobody has it open for reading. */
function pipeHasNoReader(): boolean {
  try {
    closeSync(
      openSync(`/proc/self/fd/${String(stdout)}`, constants.O_WRONLY | constants.O_NONBLOCK),
    );
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENXIO';
  }
}
