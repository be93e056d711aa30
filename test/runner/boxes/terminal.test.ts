import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { openAtTerminal } from '../../../runner/boxes/terminal.ts';
import type { BoxExec } from '../../../runner/boxes/runtime.ts';

/** A command of this machine in the place of one in a box. */
function ownCommand(argv: readonly string[]): (terminal: number) => BoxExec {
  return (terminal) => {
    const child = spawn('setsid', ['-c', ...argv], { stdio: [terminal, terminal, terminal] });
    const ended = new Promise<{ exitCode: number | null; signal: NodeJS.Signals | null }>((done) =>
      child.once('exit', (exitCode, signal) => done({ exitCode, signal })),
    );
    return {
      report: { begun: Promise.resolve({ ok: true, held: [] }), ended, closed: ended },
      signal: (signal: NodeJS.Signals) => child.kill(signal),
      stdin: null,
      stdout: null,
      stderr: null,
      close: () => undefined,
    } as unknown as BoxExec;
  };
}

describe.runIf(process.platform === 'linux')('a command at a terminal of its own', () => {
  it('sees the size it was opened with, reads what is typed, and ends the stream with it', async () => {
    const at = await openAtTerminal(
      { columns: 77, rows: 11 },
      ownCommand(['/bin/sh', '-c', 'stty size; read word; echo "got $word"; stty size']),
    );
    let text = '';
    at.stream.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      if (text.includes('11 77\r\n') && !text.includes('typed')) {
        at.resize({ columns: 90, rows: 20 });
        at.stream.write('typed\n');
      }
    });
    await new Promise((resolve) => at.stream.once('close', resolve));
    expect(text).toContain('got typed\r\n20 90');
    expect((await at.ended)?.exitCode).toBe(0);
    at.close();
  });

  it('hangs up on the command when it is closed', async () => {
    const size = { columns: 80, rows: 24 };
    const at = await openAtTerminal(size, ownCommand(['/bin/sh', '-c', 'echo ready; exec cat']));
    await new Promise((resolve) => at.stream.once('data', resolve));
    at.close();
    expect((await at.ended)?.signal).toBe('SIGHUP');
  });
});
