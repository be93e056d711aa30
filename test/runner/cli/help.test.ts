import { afterEach, describe, expect, it, vi } from 'vitest';
import { commandSummaries } from '../../../runner/cli/command-table.ts';
import type { CommandName } from '../../../runner/cli/command-table.ts';
import { commands } from '../../../runner/cli/program.ts';
import { cli } from './support.ts';

afterEach(() => void vi.restoreAllMocks());

/** Runs a command line and tells which commands were loaded for it. */
async function loadedFor(...words: readonly string[]) {
  const loaded: string[] = [];
  for (const [name, load] of Object.entries(commands)) {
    vi.spyOn(commands, name as CommandName).mockImplementation(async () => {
      loaded.push(name);
      return load();
    });
  }
  return { ...(await cli({ home: '/nonexistent' }, ...words)), loaded };
}

describe('the help', () => {
  it('lists every command with what it is for, and loads none', async () => {
    const { out, exitCode, loaded } = await loadedFor('--help');
    expect({ exitCode, loaded }).toEqual({ exitCode: 0, loaded: [] });
    for (const [name, summary] of Object.entries(commandSummaries))
      expect(out).toMatch(new RegExp(String.raw`^  ${name} +${summary.slice(0, 20)}`, 'mu'));
  });

  it('tells the version without loading a command', async () => {
    expect(await loadedFor('--version')).toMatchObject({
      exitCode: 0,
      loaded: [],
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/u) as string,
    });
  });

  it.each([[['help', 'run']], [['run', '--help']]])(
    'of one command loads it alone: %s',
    async (words) => {
      const { out, exitCode, loaded } = await loadedFor(...words);
      expect({ exitCode, loaded }).toEqual({ exitCode: 0, loaded: ['run'] });
      expect(out).toContain('--timeout <duration>');
    },
  );

  it('suggests a command for one that does not exist', async () => {
    for (const name of ['aprovals', 'constructor']) {
      const { err, exitCode, loaded } = await loadedFor(name);
      expect({ exitCode, loaded }).toEqual({ exitCode: 125, loaded: [] });
      expect(err).toContain(`unknown command '${name}'`);
    }
    expect((await loadedFor('aprovals')).err).toContain('Did you mean approvals?');
  });

  it('is what is shown where no command is named', async () => {
    const { err, exitCode } = await loadedFor();
    expect(exitCode).toBe(125);
    expect(err).toContain('Commands:');
  });
});
