import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compile, compileBelow, type Table } from '../../../shared/engine/programs/compile.ts';
import { recordOf } from '../../../shared/engine/programs/list.ts';

const folder = new URL('../../fixtures/programs/', import.meta.url);
const linesOf = (name: string): readonly string[] =>
  readFileSync(new URL(name, folder), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

/** The table of a subcommand as the parser would use it; null where the words are read by hand. */
function tableOf(words: readonly string[]): Table | null {
  const [program = '', ...path] = words;
  const record = recordOf(program);
  if (record === null || record.grammar.read !== undefined) return null;
  let table = compile(record.grammar);
  for (const word of path) {
    const { commands = {} } = table.grammar;
    const key = Object.keys(commands).find((one) => one.split(' ').includes(word));
    const command = key === undefined ? undefined : commands[key];
    if (key === undefined || command === undefined || command.read !== undefined) return null;
    table = compileBelow(table, key, command);
  }
  return table;
}

function knows({ letters, names, syntax, grammar }: Table, option: string): boolean {
  if (grammar.numeric?.test(option) === true) return true;
  if (option.startsWith('--')) {
    const name = syntax.ignoresCase === true ? option.slice(2).toLowerCase() : option.slice(2);
    return names.has(name) || (syntax.negates === true && names.has(name.replace(/^no-/, '')));
  }
  return letters.has(option.slice(1)) || names.has(option) || names.has(option.slice(1));
}

/** `docker ps: --foo --bar`: what a public set of specifications has and the records do not. */
function gaps(): readonly string[] {
  return linesOf('options.txt').flatMap((line) => {
    const [label = '', rest = ''] = line.split(': ', 2);
    const table = tableOf(label.split(' '));
    const missing = table === null ? [] : rest.split(' ').filter((option) => !knows(table, option));
    return missing.length === 0 ? [] : [`${label}: ${missing.join(' ')}`];
  });
}

describe('records against a public set of command specifications', () => {
  it('lack no more than is written down; an option that is lacking pins', () => {
    expect(gaps()).toEqual(linesOf('gaps.txt'));
  });
});
