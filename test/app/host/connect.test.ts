import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectHandlers } from '../../../app/host/connect-handlers.ts';
import type { CommandOutcome } from '../../../app/host/connect-handlers.ts';
import { refusalOf } from '../../../shared/base/refusal.ts';
import { homePaths } from '../../../shared/home/paths.ts';

let home = '';
let calls: string[] = [];
let diff = '';
let locked = false;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'connect-'));
  mkdirSync(join(home, 'interlock'));
  calls = [];
  diff = '--- a\n+++ a\n@@ -1 +1 @@\n-{}\n+{"hooks":[]}\n';
  locked = false;
});
afterEach(() => rmSync(home, { recursive: true }));

const fine = (stdout: string): CommandOutcome => ({ status: 0, stdout, stderr: '' });

function handlers(change: Partial<Parameters<typeof connectHandlers>[0]> = {}) {
  return connectHandlers({ ...surroundings(), ...change });
}

function surroundings() {
  const env = { HOME: home, INTERLOCK_HOME: join(home, 'interlock') };
  return {
    paths: homePaths(env),
    env,
    packageRoot: home,
    platform: 'linux' as const,
    uid: process.geteuid?.() ?? -1,
    home,
    locked: () => locked,
    command: async (words: readonly string[]) => {
      calls.push(words.join(' '));
      return fine(words.includes('--dry-run') ? diff : 'Wrote it\n\nBehind the gate: shell\n');
    },
  } satisfies Parameters<typeof connectHandlers>[0];
}

async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return 'done';
  } catch (error) {
    return refusalOf(error)?.code ?? String(error);
  }
}

describe('connecting an agent from the page', () => {
  it('shows what would change, and does that and nothing else', async () => {
    const { connectPreview, connect } = handlers();
    const { diff: shown, digest } = await connectPreview({ host: 'claude' });
    expect(shown).toBe(diff);
    expect(await connect({ host: 'claude', digest })).toEqual({
      said: ['Wrote it', 'Behind the gate: shell'],
    });
    expect(calls.at(-1)).toBe('install claude');
  });

  it('changes nothing where the settings are others than those that were shown', async () => {
    const { connectPreview, connect } = handlers();
    const { digest } = await connectPreview({ host: 'codex' });
    diff += '+more\n';
    expect(await codeOf(() => connect({ host: 'codex', digest }))).toBe('binding-drift');
    expect(calls).not.toContain('install codex');
  });

  it('makes no key while everything is locked', async () => {
    const { connectPreview, connect } = handlers();
    const { digest } = await connectPreview({ host: 'codex' });
    locked = true;
    expect(await codeOf(() => connect({ host: 'codex', digest }))).toBe('lockout-active');
    expect(calls).not.toContain('install codex');
  });

  it('takes no other word than the name of an agent', async () => {
    const { connectPreview, connect } = handlers();
    for (const host of ['--managed', 'nobody', 'claude --managed', 'constructor'])
      expect(await codeOf(() => connectPreview({ host }))).toBe('invalid-request');
    expect(await codeOf(() => connect({ host: 'nobody', digest: '' }))).toBe('invalid-request');
    expect(calls).toEqual([]);
  });

  it('passes on in a sentence why the settings cannot be changed', async () => {
    const stderr = 'interlock: settings.json is not JSON.\n  Mend it.\n';
    const { connectPreview } = handlers({
      command: async () => ({ status: 1, stdout: '', stderr }),
    });
    await expect(async () => connectPreview({ host: 'claude' })).rejects.toThrow(
      'settings.json is not JSON.',
    );
  });

  it('says what to type where the command line cannot be run', async () => {
    const { connectable, connectPreview } = handlers({ command: null });
    expect((await connectable({})).possible).toBe(false);
    expect(await codeOf(() => connectPreview({ host: 'claude' }))).toBe('host-unavailable');
  });

  it('lists every agent that there is, none of them connected at first', async () => {
    const { possible, hosts } = await handlers().connectable({});
    expect(possible).toBe(true);
    expect(hosts.map(({ host }) => host)).toContain('opencode');
    expect(hosts.filter(({ connected }) => connected)).toEqual([]);
  });
});

describe('connecting an agent from the menu-bar app', () => {
  const app = (packageRoot = join(home, 'package')) => {
    const bin = join(home, 'bin');
    mkdirSync(bin, { recursive: true });
    const env = { HOME: home, INTERLOCK_HOME: join(home, 'interlock'), PATH: bin };
    const { command: _, ...around } = surroundings();
    const ready = () => connectHandlers({ ...around, env, packageRoot, isElectron: true });
    return { bin, ready };
  };
  const shows = '#!/bin/sh\necho "$@"\n';

  it('runs its own command line by the Node in PATH', async () => {
    const { bin, ready } = app();
    const program = join(home, 'package', 'dist', 'runner', 'cli');
    mkdirSync(program, { recursive: true });
    writeFileSync(join(program, 'main.js'), 'console.log(process.argv.slice(2).join(" "))');
    symlinkSync(process.execPath, join(bin, 'node'));
    expect((await ready().connectable({})).possible).toBe(true);
    expect((await ready().connectPreview({ host: 'claude' })).diff).toBe(
      'install claude --dry-run\n',
    );
  });

  it('runs the installed one where the app is packed', async () => {
    const { bin, ready } = app(join(home, 'app.asar'));
    symlinkSync(process.execPath, join(bin, 'node'));
    writeFileSync(join(bin, 'interlock'), shows, { mode: 0o755 });
    expect((await ready().connectPreview({ host: 'codex' })).diff).toBe(
      'install codex --dry-run\n',
    );
  });

  it('names the command where nothing here can run it', async () => {
    const { ready } = app();
    expect((await ready().connectable({})).possible).toBe(false);
    expect(await codeOf(() => ready().connectPreview({ host: 'claude' }))).toBe('host-unavailable');
  });
});

describe('starting a box from the page', () => {
  it('is done by the command line, whose refusal is passed on', async () => {
    expect(await handlers().startBox({ name: 'fix' })).toEqual({});
    expect(calls).toEqual(['box start fix']);
    const stderr = 'interlock: lockout-active: The box "fix" is locked.\n  Stop and wait.\n';
    const { startBox } = handlers({ command: async () => ({ status: 1, stdout: '', stderr }) });
    await expect(async () => startBox({ name: 'fix' })).rejects.toThrow('The box "fix" is locked.');
    expect(await codeOf(() => handlers({ command: null }).startBox({ name: 'fix' }))).toBe(
      'host-unavailable',
    );
  });
});
