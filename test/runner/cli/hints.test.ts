import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CommandNode } from '../../../runner/cli/command-tree.ts';
import { commandTree } from '../../../runner/cli/program.ts';
import { packageRoot, testIo } from './support.ts';

let root: CommandNode;
beforeAll(async () => {
  root = await commandTree(testIo({ home: '/nonexistent' }).io);
});

/** One place where a person is told what to type. */
interface Told {
  readonly where: string;
  readonly line: string;
}

/** Lines in fences and code spans of a page that begin with our command, sudo and variables aside. */
function inPage(text: string): readonly string[] {
  const fenced = [...text.matchAll(/^```sh\n(.*?)^```/gmsu)].flatMap(([, block = '']) =>
    block.split('\n'),
  );
  const spans = [...text.matchAll(/`([^`\n]+)`/gu)].map(([, span = '']) => span);
  return [...fenced, ...spans];
}

/** What sources say in quotes within a text, after a colon at its end, or as a line of an example. */
function inSource(text: string): readonly string[] {
  return [
    ...text.matchAll(/"(interlock [^"\n]+)"/gu),
    ...text.matchAll(/: (interlock [^'"`\n]+?)['"`]/gu),
    ...text.matchAll(/^ {2,}(interlock [^\n]+)$/gmu),
    ...text.matchAll(/\\n {2}(interlock [^'"`\n\\]+)/gu),
  ].map(([, line = '']) => line);
}

function told(): readonly Told[] {
  const filesBelow = (folder: string, ending: RegExp): readonly string[] =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => ending.test(name))
      .map((name) => join(folder, name));
  const pages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', ...filesBelow('docs', /\.md$/u)];
  const sources = ['shared', 'runner', 'app'].flatMap((kit) => filesBelow(kit, /\.tsx?$/u));
  const read = (where: string): string => readFileSync(join(packageRoot, where), 'utf8');
  return [
    ...pages.flatMap((where) => inPage(read(where)).map((line) => ({ where, line }))),
    ...sources.flatMap((where) => inSource(read(where)).map((line) => ({ where, line }))),
  ];
}

/** The words after `interlock`, up to `--`, a comment, a pipe or the end; null for no such line. */
function wordsOf(line: string): readonly string[] | null {
  const bare = line.trim().replace(/^(?:sudo (?:-u \S+ -H )?|ssh \S+ |[A-Z_]+=\S+ )+/u, '');
  if (!/^interlock(?: |$)/u.test(bare)) return null;
  const [own = ''] = bare.split(/ -- | #| \|| >|;| && | {3,}|[`—]|,? or |\\n/u);
  return [...own.matchAll(/'[^']*'|"[^"]*"|[^\s'"]+/gu)].map(([word]) => word).slice(1);
}

const isFree = (word: string): boolean => /[A-Z<>[\]{}$…]|^\.\.\.$/u.test(word);

/** What comes after their first word is for another program. */
const passingOn = new Set(['wrap']);

/** What is wrong with a command line, by the commands there are; null when they take it. */
function problemOf(words: readonly string[]): string | null {
  let node = root;
  let value: CommandNode['options'][number] | null = null;
  for (const word of words.map((each) => each.replace(/[.,:)]+$/u, ''))) {
    if (value !== null) {
      if (value.choices !== null && !isFree(word) && !value.choices.includes(word))
        return `${value.flags} does not take ${word}`;
      value = null;
    } else if (word.startsWith('-') && word !== '--') {
      const [name = ''] = word.split('=');
      const found = node.options.find(({ names }) => names.includes(name));
      if (found === undefined) return `${node.name} has no ${name}`;
      value = found.takesValue && !word.includes('=') ? found : null;
    } else if (node.commands.length > 0) {
      // A name that the program fills in: what it may stand for is in another place.
      if (isFree(word)) return null;
      const child = node.commands.find(({ name }) => name === word);
      if (child === undefined) return word === 'help' ? null : `${node.name} has no ${word}`;
      node = child;
    } else if (passingOn.has(node.name)) return null;
    else if (node.arguments.length === 0 && !isFree(word)) return `${node.name} takes no ${word}`;
  }
  return null;
}

/** Prose in which our name is followed by other words, and what is typed to an agent. */
const prose = /^(?:request|runner\.|interlock|\/)/u;

describe('every command that a hint, a help text or a page names', () => {
  it('is one that there is, with options that it takes', () => {
    const wrong = told().flatMap(({ where, line }) => {
      const words = wordsOf(line);
      if (words === null || words.length === 0 || prose.test(words[0] ?? '')) return [];
      const problem = problemOf(words);
      return problem === null ? [] : [`${where}: ${line}: ${problem}`];
    });
    expect(wrong).toEqual([]);
  });

  it('is found in places enough for this to mean something', () => {
    expect(told().filter(({ line }) => wordsOf(line) !== null).length).toBeGreaterThan(150);
  });

  it.each([
    ['interlock set --help', 'interlock has no set'],
    ['interlock approvals frob', 'approvals has no frob'],
    ['interlock doctor --fix', 'doctor has no --fix'],
    ['interlock check --exit-code -- ls', null],
    ['interlock approvals allow --kind frob -- x', '--kind <kind> does not take frob'],
  ])('would be caught: %s', (line, problem) => {
    expect(problemOf(wordsOf(line) ?? [])).toBe(problem);
  });
});
