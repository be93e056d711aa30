import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { compile, findLong } from '../../../shared/engine/programs/compile.ts';
import { readSedScript } from '../../../shared/engine/programs/languages/sed.ts';
import type { Grammar } from '../../../shared/engine/programs/types.ts';
import { known, readWords } from './support/read.ts';

/**
 * The real programs decide how a word is taken. Each run ends at an option that no program has, so
 * that nothing is ever read, written or started.
 */
const folder = mkdtempSync(join(tmpdir(), 'probe-'));
afterAll(() => rmSync(folder, { recursive: true }));

const mark = '\u0001';
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** What the program says to each of these rows of words. One shell starts them all, which is cheap. */
function said(program: string, rows: readonly (readonly string[])[]): readonly string[] {
  const lines = rows.map((words) => [program, ...words].map(quoted).join(' '));
  const { stderr, status, error } = spawnSync('/bin/sh', {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], LC_ALL: 'C', HOME: folder },
    input: lines
      .map((line) => `${line} </dev/null >/dev/null; printf ${quoted(mark)} >&2\n`)
      .join('')
      .concat('exit 0\n'),
    maxBuffer: 64 << 20,
    timeout: 60_000,
  });
  if (error !== undefined) throw error;
  const texts = stderr.split(mark).slice(0, -1);
  expect([status, texts.length]).toEqual([0, rows.length]);
  return texts;
}

function isHere(program: string): boolean {
  const here = spawnSync(program, ['--version'], { encoding: 'utf8' });
  const isGnu =
    here.error === undefined &&
    (program === 'git' || program === 'curl' || /GNU|coreutils/.test(here.stdout));
  if (!isGnu)
    console.warn(`NOT TESTED: ${program} as it is on this machine, because it is missing`);
  return isGnu;
}

const refused = (text: string, word: string): boolean =>
  text.includes(`unrecognized option '${word}'`);
const unknown = (text: string): boolean =>
  /unrecognized option|invalid option|ambiguous/.test(text);

/** Of each option, whether the program took the word after it as a value; null for unknown ones. */
function takeNext(program: string, options: readonly string[]): readonly (boolean | null)[] {
  return said(
    program,
    options.map((option) => [option, '--zzz', '--yyy']),
  ).map((text) => {
    if (refused(text, '--zzz')) return false;
    if (refused(text, '--yyy')) return true;
    if (unknown(text)) return null;
    return /zzz/.test(text) ? true : null;
  });
}

function read(program: string, option: string): boolean | null {
  const { options } = readWords(program, [option, '--zzz', '--yyy']);
  if (!options.some(({ word }) => word === 0)) return null;
  return options.some(({ value }) => value === '--zzz');
}

const gnu = [
  'sort',
  'head',
  'tail',
  'cat',
  'wc',
  'cut',
  'ls',
  'cp',
  'mv',
  'rm',
  'mkdir',
  'grep',
  'sed',
  'tar',
  'xargs',
];
const ending = /^--(?:help|version|usage|show-defaults)$|^-[hV?]$/;

describe.each(gnu.filter(isHere))('%s on this machine', (program) => {
  const { names } = compile(known(program).grammar);
  const long = [...names.keys()].map((name) => `--${name}`).filter((name) => !ending.test(name));

  it('has no long option in its help that the record lacks', () => {
    const help = execFileSync(program, ['--help'], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
    });
    const listed = help
      .split('\n')
      .filter((line) => /^ +-/.test(line))
      .flatMap((line) =>
        [...line.slice(0, 60).matchAll(/(?:^|[\s,])--([a-z][\w-]*)/g)].map(([, name = '']) => name),
      );
    expect(
      listed.filter(
        (name) =>
          !names.has(name) && findLong(compile(known(program).grammar), name).kind !== 'found',
      ),
    ).toEqual([]);
  });

  it('takes a value after the same long options', () => {
    const taken = takeNext(program, long);
    const wrong = long.filter((name, at) => {
      const real = taken[at] ?? null;
      return real !== null && real !== read(program, name);
    });
    expect(wrong).toEqual([]);
  });

  it('takes a value after the same letters, and has no letter that the record lacks', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
      .split('')
      .map((one) => `-${one}`)
      .filter((name) => !ending.test(name));
    const taken = takeNext(program, letters);
    const wrong = letters.filter((name, at) => {
      const real = taken[at] ?? null;
      return real !== null && real !== read(program, name);
    });
    expect(wrong).toEqual([]);
  });

  it('takes the same abbreviations', () => {
    const prefixes = [
      ...new Set(long.flatMap((name) => [4, 5, 7].map((length) => name.slice(0, length)))),
    ].filter((prefix) => !names.has(prefix.slice(2)));
    const taken = takeNext(program, prefixes);
    const wrong = prefixes.filter((prefix, at) => {
      const real = taken[at] ?? null;
      const ours = read(program, prefix);
      return real !== null && ours !== null && real !== ours;
    });
    expect(wrong).toEqual([]);
  });
});

describe.runIf(isHere('sed'))('sed scripts', () => {
  const parts = [
    'p',
    'd',
    's/a/b/',
    's/a/b/e',
    's,a,b,w f',
    'e',
    '1e id',
    'w f',
    'r f',
    'a\\',
    'a x',
    'i\\',
    'c y',
    '\n',
    ';',
    '{',
    '}',
    '1',
    '/a/',
    '\\,b,',
    '$!',
    ',',
    'y/a/b/',
    ':a',
    'ba',
    't',
    '\\',
    'e id',
    '#x',
    ' ',
    'q1',
    's/[/]/x/',
    'n',
    '/[/]e/',
    'W f',
    'R f',
    'M',
    's/a\\/b/c/',
    '}e',
    'l 5',
  ];
  /** A fixed row of numbers: each run looks at the same scripts. */
  let seed = 7;
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(seed / 65_536) % below;
  };
  const scripts = Array.from({ length: 600 }, () =>
    Array.from({ length: 1 + next(6) }, () => parts[next(parts.length)] ?? '').join(''),
  );

  it('that sed itself refuses in its sandbox are never taken for harmless', () => {
    const texts = said(
      'sed',
      scripts.map((script) => ['--sandbox', '-n', '-e', script]),
    );
    const active = scripts.filter((_, at) => texts[at]?.includes('sandbox') === true);
    expect(active.length).toBeGreaterThan(20);
    const missed = active.filter((script) => {
      const { effects = [], doubts = [] } = readSedScript(script, 0);
      return effects.length === 0 && doubts.length === 0;
    });
    expect(missed).toEqual([]);
  });
});

describe.runIf(isHere('find'))('find on this machine', () => {
  const words =
    `-name -iname -path -type -size -perm -user -newer -anewer -samefile -printf -fprint -fls -exec -delete
    -print -print0 -ls -prune -quit -empty -maxdepth -mindepth -mount -xdev -depth -d -follow -daystart -regex
    -regextype -inum -links -mtime -mmin -amin -used -context -fstype -xtype -readable -nouser -noleaf -warn
    -newerat -lname -ilname -wholename -gid -uid -group -true -false -files0-from`.split(/\s+/);

  it('takes a value after the same expressions', () => {
    const texts = said(
      'find',
      words.map((word) => ['.', word, 'zzz', '-yyy']),
    );
    const wrong = words.filter((word, at) => {
      const real = texts[at]?.includes('paths must precede expression') === false;
      const { options } = readWords('find', ['.', word, 'zzz', '-yyy']);
      return word !== '-exec' && real !== (options[0]?.value === 'zzz');
    });
    expect(wrong).toEqual([]);
  });
});

describe.runIf(isHere('curl'))('curl on this machine', () => {
  const { names } = compile(known('curl').grammar);
  const refusedBy = (text: string, word: string): boolean =>
    text.includes(`option ${word}: is unknown`);

  it('has no option in its help that the record lacks, and takes values after the same ones', () => {
    const help = execFileSync('curl', ['--help', 'all'], { encoding: 'utf8' });
    const listed = [...help.matchAll(/^ (?:-.,)? +--([a-z][\w.-]*)( <| \[)?/gm)];
    expect(listed.length).toBeGreaterThan(200);
    const wrong = listed.filter(([, name = '', value]) => {
      const found = findLong(compile(known('curl').grammar), name);
      return found.kind !== 'found' || (found.entry.use.arity === 'none') !== (value === undefined);
    });
    expect(wrong.map(([, name]) => name)).toEqual([]);
  });

  it('takes the same words for values', () => {
    const asked = [...names.keys()].filter((name) => !/^(?:help|version|manual)$/.test(name));
    const texts = said(
      'curl',
      asked.map((name) => [`--${name}`, '--zzz', '--yyy']),
    );
    const wrong = asked.filter((name, at) => {
      const text = texts[at] ?? '';
      const real = refusedBy(text, '--zzz') ? false : refusedBy(text, '--yyy') ? true : null;
      return real !== null && real !== read('curl', `--${name}`);
    });
    expect(wrong).toEqual([]);
  });
});

describe.runIf(isHere('git'))('git on this machine', () => {
  const commands = Object.entries(known('git').grammar.commands ?? {});
  const inner = commands.flatMap(([names, command]) => {
    const own: [string, Grammar][] = [[names.split(' ')[0] ?? '', command]];
    for (const [words, one] of Object.entries(command.commands ?? {}))
      own.push(
        ...words
          .split(' ')
          .map((word): [string, Grammar] => [`${names.split(' ')[0]} ${word}`, one]),
      );
    return own;
  });
  execFileSync('git', ['init', '-q', folder]);

  it('has no option that the records lack, and none takes a value otherwise', () => {
    const wrong = inner.flatMap(([name, command]) => {
      if (pinnedAnyway.test(name) || command.finish === undefined) return [];
      const { stdout } = spawnSync('git', [...name.split(' '), '--git-completion-helper-all'], {
        cwd: folder,
        encoding: 'utf8',
      });
      const table = compile(command);
      return stdout
        .split(/\s+/)
        .filter((one) => /^--[a-z0-9][a-z0-9-]*=?$/.test(one))
        .filter((one) => {
          const found = findLong(table, one.slice(2).replace(/=$/, ''));
          if (found.kind !== 'found') return true;
          return one.endsWith('=') && found.entry.use.arity === 'none';
        })
        .map((one) => `${name} ${one}`);
    });
    expect(wrong).toEqual([]);
  });
});

/** Pinned whatever their options are, or without a list of them. */
const pinnedAnyway =
  /^(?:difftool|mergetool|filter-branch|merge-index|rev-parse|bisect|for-each-repo|maintenance|interpret-trailers|bugreport|diagnose)/;
