import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../../runner/cli/program.ts';
import { homePaths } from '../../../shared/home/paths.ts';
import type { HomePaths } from '../../../shared/home/paths.ts';
import { takeStopNotes } from '../../../shared/home/stop-journal.ts';
import { readStopState } from '../../../shared/home/stop-state.ts';
import { readyLockPath } from '../../../shared/home/stop-state.ts';
import { havePassphrase } from '../../support/passphrase.ts';
import { cli, temporaryHome, testIo } from './support.ts';

let place: ReturnType<typeof temporaryHome>;
let paths: HomePaths;
beforeEach(async () => {
  place = temporaryHome();
  paths = homePaths({ INTERLOCK_HOME: place.home });
  await cli({ home: place.home }, 'init');
});
afterEach(() => place.remove());

const uid = process.geteuid?.() ?? -1;
const passphrase = 'correct horse battery';

/** Runs a command at a terminal; each text is typed when the question before it was asked. */
async function atTerminal(
  command: string,
  typed: readonly string[],
  ...args: readonly string[]
): Promise<{ readonly exitCode: number; readonly out: string; readonly err: string }> {
  const world = testIo({ home: place.home, isTTY: true });
  const waiting = [...typed];
  const write = world.io.stdout.write.bind(world.io.stdout);
  const stdout = Object.assign(world.io.stdout, {
    write: (text: string) => {
      const next = text.endsWith(': ') ? waiting.shift() : undefined;
      if (next !== undefined) setImmediate(() => world.type(next));
      return write(text);
    },
  });
  const exitCode = await runCli([command, ...args], { ...world.io, stdout });
  return { exitCode, out: world.out(), err: world.err() };
}

describe('interlock unlock', () => {
  it('opens the lock for who knows the passphrase, and never shows it', async () => {
    await atTerminal('passphrase', [`${passphrase}\r`, `${passphrase}\r`]);
    await cli({ home: place.home }, 'lockout', '--reason', 'drill');
    const { exitCode, out, err } = await atTerminal('unlock', [`${passphrase}\r`]);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out).toContain('Locked: drill');
    expect(out).toContain('Unlocked.');
    expect(out).not.toContain(passphrase);
    expect(readStopState(paths)).toEqual({ mode: 'armed', reason: null });
  });

  it('stays shut for a wrong one, and says no more than that', async () => {
    havePassphrase(paths.passphrase, passphrase);
    await cli({ home: place.home }, 'lockout');
    const { exitCode, err } = await atTerminal('unlock', ['something else\r']);
    expect(exitCode).toBe(126);
    expect(err).toContain('confirm-rejected: That is not the passphrase.');
    expect(readStopState(paths).mode).toBe('locked');
  });

  it('has a person set a passphrase first where there is none', async () => {
    await cli({ home: place.home }, 'lockout');
    const line = `${passphrase}\r`;
    const { exitCode, out } = await atTerminal('unlock', [line, line, line]);
    expect(exitCode).toBe(0);
    expect(out).toContain('New passphrase');
    expect(readStopState(paths).mode).toBe('armed');
  });

  it('is for a terminal only', async () => {
    await cli({ home: place.home }, 'lockout');
    const { exitCode, err } = await cli(
      { home: place.home, stdin: `${passphrase}\n${passphrase}\n` },
      'unlock',
    );
    expect(exitCode).toBe(125);
    expect(err).toContain('a person at a terminal');
    expect(existsSync(paths.passphrase)).toBe(false);
    expect(readStopState(paths).mode).toBe('locked');
  });

  it('leaves a trace for the audit log, wrong attempts too', async () => {
    const line = `${passphrase}\r`;
    havePassphrase(paths.passphrase, passphrase);
    await cli({ home: place.home }, 'lockout', '--reason', 'drill');
    await atTerminal('unlock', ['wrong\r']);
    await atTerminal('unlock', [line]);
    const notes: unknown[] = [];
    takeStopNotes(paths, uid, (note) => void notes.push('code' in note ? note.code : note));
    expect(notes).toEqual(['lockout', 'unlock-refused', 'unlock']);
  });

  it('mends state files that cannot be understood, and makes the next lock ready', async () => {
    const line = `${passphrase}\r`;
    writeFileSync(paths.lockout, '{');
    writeFileSync(paths.pause, '');
    expect((await atTerminal('unlock', [line, line, line])).exitCode).toBe(0);
    expect(readStopState(paths).mode).toBe('armed');
    expect(JSON.parse(readFileSync(readyLockPath(paths), 'utf8'))).toMatchObject({ locked: true });
  });

  it('gives up on Ctrl-C with nothing changed', async () => {
    await cli({ home: place.home }, 'lockout');
    const { exitCode } = await atTerminal('unlock', ['half\u0003']);
    expect(exitCode).toBe(125);
    expect(existsSync(paths.passphrase)).toBe(false);
    expect(readStopState(paths).mode).toBe('locked');
  });
});

describe('interlock passphrase', () => {
  it('asks for the old one before it takes a new one', async () => {
    const line = `${passphrase}\r`;
    havePassphrase(paths.passphrase, passphrase);
    const before = readFileSync(paths.passphrase, 'utf8');
    expect((await atTerminal('passphrase', ['not it\r'])).exitCode).toBe(126);
    expect(readFileSync(paths.passphrase, 'utf8')).toBe(before);
    expect(
      (await atTerminal('passphrase', [line, 'another one\r', 'another one\r'])).out,
    ).toContain('The passphrase is set.');
    expect(readFileSync(paths.passphrase, 'utf8')).not.toBe(before);
  });

  it('takes Backspace and Ctrl-U as a terminal does', async () => {
    await atTerminal('passphrase', ['xx\u0015correct horsee\u007f\r', 'correct horse\r']);
    expect(existsSync(paths.passphrase)).toBe(true);
  });

  it('sets nothing when the two differ', async () => {
    const { exitCode } = await atTerminal('passphrase', ['one passphrase\r', 'another one\r']);
    expect(exitCode).toBe(125);
    expect(existsSync(paths.passphrase)).toBe(false);
  });
});

describe('interlock unlock --box', () => {
  beforeEach(() => {
    mkdirSync(paths.boxesDirectory, { recursive: true, mode: 0o700 });
    writeFileSync(`${paths.boxesDirectory}/fix.json`, 'damaged', { mode: 0o600 });
  });
  const notes = (): readonly string[] => {
    const found: string[] = [];
    takeStopNotes(paths, uid, (note) => found.push('damaged' in note ? note.damaged : note.code));
    return found;
  };

  it('ends the lockout of that box, and no other', async () => {
    havePassphrase(paths.passphrase, passphrase);
    const locked = await cli({ home: place.home }, 'lockout', '--box', 'fix', '--reason', 'drill');
    expect(locked.exitCode).toBe(0);
    expect(locked.out).toContain('The box "fix" is locked');
    expect(readStopState(paths).mode).toBe('armed');
    await cli({ home: place.home }, 'lockout');
    const wrong = await atTerminal('unlock', ['something else\r'], '--box', 'fix');
    expect(wrong.exitCode).toBe(126);
    expect(existsSync(`${paths.boxesDirectory}/fix.locked`)).toBe(true);
    const { exitCode, out } = await atTerminal('unlock', [`${passphrase}\r`], '--box', 'fix');
    expect({ exitCode, out }).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining('Unlocked. Start it: interlock box start fix') as string,
    });
    expect(existsSync(`${paths.boxesDirectory}/fix.locked`)).toBe(false);
    expect(readStopState(paths).mode).toBe('locked');
    expect(notes()).toEqual(
      expect.arrayContaining(['box-lockout', 'lockout', 'unlock-refused', 'box-unlock']),
    );
  });

  it('says of a box that is not there, or not locked, that nothing was done', async () => {
    expect((await cli({ home: place.home }, 'lockout', '--box', 'other')).err).toContain(
      'There is no box "other".',
    );
    expect((await atTerminal('unlock', [], '--box', 'fix')).out).toContain('is not locked');
    expect(notes()).toEqual([]);
  });
});
