import { afterEach, describe, expect, it, vi } from 'vitest';
import { commandSummaries } from '../../../runner/cli/command-table.ts';
import type { CommandName } from '../../../runner/cli/command-table.ts';
import { everyCommand } from '../../../runner/cli/command-tree.ts';
import { commands, commandTree } from '../../../runner/cli/program.ts';
import { cli, testIo } from './support.ts';

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

  it('says of every command, in a list, what it does: a short phrase without a full stop', async () => {
    const { io } = testIo({ home: '/nonexistent' });
    const wrong = everyCommand(await commandTree(io))
      .filter(({ path }) => path.length > 0)
      .filter(({ node }) => !/^[a-z].{0,64}[^.]$/u.test(node.summary));
    expect(wrong.map(({ path, node }) => `${path.join(' ')}: ${node.summary}`)).toEqual([]);
  });

  it('says of every command, on its own page, what it does in whole sentences', async () => {
    const { io } = testIo({ home: '/nonexistent' });
    const described = everyCommand(await commandTree(io)).filter(
      ({ node }) => node.description !== node.summary,
    );
    const wrong = described.filter(({ node }) => !/^["A-Z].*\.$/u.test(node.description));
    expect(wrong.map(({ path, node }) => `${path.join(' ')}: ${node.description}`)).toEqual([]);
  });
});
