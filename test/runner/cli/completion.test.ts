import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyCommand } from '../../../runner/cli/command-tree.ts';
import { completionScript, completionShells } from '../../../runner/cli/completion.ts';
import type { CompletionShell } from '../../../runner/cli/completion.ts';
import { commandTree } from '../../../runner/cli/program.ts';
import { cli, packageRoot, temporaryHome, testIo } from './support.ts';

const place = temporaryHome();
afterAll(() => place.remove());
const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;
const scriptOf = (shell: CompletionShell): string => join(place.folder, `interlock.${shell}`);

beforeAll(async () => {
  const tree = await commandTree(testIo({ home: place.home }).io);
  for (const shell of completionShells)
    writeFileSync(scriptOf(shell), completionScript(shell, tree));
});

/** What a shell offers for the last of these words. */
type Offer = (...words: readonly string[]) => readonly string[];

const inBash: Offer = (...words) => {
  const program = `source "$1"; shift; COMP_WORDS=(interlock "$@"); COMP_CWORD=$#; _interlock; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const args = ['--norc', '-c', program, 'bash', scriptOf('bash'), ...words];
  return execFileSync('bash', args, { encoding: 'utf8' }).split('\n').filter(Boolean);
};

const inFish: Offer = (...words) => {
  const program = `source ${scriptOf('fish')}; complete -C ${JSON.stringify(`interlock ${words.join(' ')}`)}`;
  return execFileSync('fish', ['--no-config', '-c', program], {
    encoding: 'utf8',
    env: { ...process.env, HOME: place.folder },
  })
    .split('\n')
    .flatMap((line) => line.split('\t')[0] || []);
};

/** Outside of zsh's line editor: what would be handed to it is printed instead. */
const inZsh: Offer = (...words) => {
  const program = `
    compdef() { :; }
    _describe() { print -rl -- "\${(@)\${(@P)argv[-1]}%%:*}"; }
    compadd() { shift; print -rl -- "$@"; }
    _files() { :; }
    _normal() { print -r -- "NORMAL $words $CURRENT"; }
    source "$1"
    shift
    words=(interlock "$@")
    CURRENT=$#words
    _interlock`;
  const args = ['-f', '-c', program, 'zsh', scriptOf('zsh'), ...words];
  return execFileSync('zsh', args, { encoding: 'utf8' }).split('\n').filter(Boolean);
};

const shells: readonly (readonly [string, Offer])[] = [
  ['bash', inBash],
  ...(has('fish') ? [['fish', inFish] as const] : []),
  ...(has('zsh') ? [['zsh', inZsh] as const] : []),
];

describe.each(shells)('completion in %s', (shell, offer) => {
  it('is valid to the shell', () => {
    const { status, stderr } = spawnSync(shell, ['-n', scriptOf(shell as CompletionShell)]);
    expect([status, stderr.toString()]).toEqual([0, '']);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ['commands', ['approv'], ['approve', 'approvals']],
    ['commands below a command', ['approvals', 'a'], ['allow']],
    ['options', ['check', '--exi'], ['--exit-code']],
    ['options before what the command is about', ['approvals', 'allow', '--a'], ['--agent']],
    ['options after it, too', ['approvals', 'allow', 'ls', '--ki'], ['--kind']],
    [
      'the words that an option takes',
      ['approvals', 'allow', 'ls', '--kind', 'e'],
      ['exec', 'edit'],
    ],
    [
      'options after the value of one',
      ['approvals', 'allow', '--agent', 'run', '--ki'],
      ['--kind'],
    ],
    ['the words that a command takes', ['completion', 'f'], ['fish']],
  ])('offers %s', (_what, words, offered) => {
    expect(offer(...words)).toEqual(expect.arrayContaining([...offered]));
  });

  it('offers no option of ours after --', () => {
    expect(offer('run', '--', 'git', '--ver')).not.toContain('--verbose');
    expect(offer('run', '--ver')).toContain('--verbose');
  });
});

describe('interlock completion', () => {
  it('knows every command and every option, in every shell', async () => {
    const tree = await commandTree(testIo({ home: place.home }).io);
    for (const shell of completionShells) {
      const { out, exitCode } = await cli({ home: place.home }, 'completion', shell);
      expect(exitCode).toBe(0);
      expect(out).toBe(readFileSync(scriptOf(shell), 'utf8'));
      for (const { path, node } of everyCommand(tree)) {
        expect(out).toContain(path.join(' '));
        for (const name of node.options.flatMap(({ names }) => names))
          expect(out).toContain(shell === 'fish' ? name.replace(/^-+/u, ' ') : name);
      }
    }
  });

  it('refuses a shell that it does not know, and names those that it does', async () => {
    const { exitCode, err } = await cli({ home: place.home }, 'completion', 'tcsh');
    expect(exitCode).toBe(125);
    expect(err).toContain('bash, zsh, fish, man');
  });
});

describe('the manual page', () => {
  const file = join(packageRoot, 'man/interlock.1');

  it('stands in the package as the commands are now', async () => {
    const { out } = await cli({ home: place.home }, 'completion', 'man');
    await expect(out).toMatchFileSnapshot(file);
  });

  it.runIf(has('mandoc'))('is taken by mandoc without a complaint', () => {
    const { stdout, status } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', file], {
      encoding: 'utf8',
    });
    expect(stdout.split('\n').filter((line) => !/missing date|^$/u.test(line))).toEqual([]);
    expect(status).toBeLessThan(3);
  });

  it.runIf(has('groff'))('is taken by groff without a warning', () => {
    const { stderr, stdout } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z', file], {
      encoding: 'utf8',
    });
    expect(stderr + stdout).toBe('');
  });
});
