import { describe, expect, it } from 'vitest';
import {
  flag,
  inert,
  maybe,
  optional,
  reads,
  starts,
  writes,
} from '../../../shared/engine/programs/forms.ts';
import { readArguments } from '../../../shared/engine/programs/read.ts';
import {
  argparse,
  byHand,
  clap,
  curl,
  gnu,
  keyValue,
  parseKnownOptions,
  parseOptions,
  pflag,
  posix,
  singleDash,
  tar,
} from '../../../shared/engine/programs/syntax.ts';
import type { Options, ProgramRecord } from '../../../shared/engine/programs/types.ts';
import type { Syntax } from '../../../shared/engine/programs/syntax.ts';
import { argumentsOf } from './support/read.ts';

const syntaxes = {
  argparse,
  byHand,
  clap,
  curl,
  gnu,
  parseKnownOptions,
  parseOptions,
  pflag,
  posix,
  tar,
};

const options: Options = {
  '-a --all': flag,
  '-b': flag,
  '-o --output': writes,
  '--output-format': inert,
  '-k --key': inert,
  '--color': optional(inert),
  '-i --in-place': optional(inert),
  '--merged': maybe(inert),
  '--compress-program': starts,
};

const single: Options = { '-all': flag, '-out': writes };
const pairs: Options = { 'if=': reads, 'of=': writes, 'bs=': inert };

function read(syntax: Syntax, words: readonly string[], own = options): string {
  const record: ProgramRecord = {
    names: ['it'],
    does: 'Tests.',
    grammar: { syntax, options: own, numeric: /^-[0-9]+$/, operands: { rest: reads } },
  };
  const reading = readArguments(record, argumentsOf(words));
  const taken = reading.options.map(({ name, value }) =>
    value === null ? name : `${name}:${value}`,
  );
  const doubts = reading.doubts.length === 0 ? '' : ' ?';
  return `${[...taken, ...reading.operands.map(({ text }) => `<${text}>`)].join(' ')}${doubts}`;
}

const cases: readonly (readonly [keyof typeof syntaxes, string, string])[] = [
  ['gnu', 'x -o f y', '-o:f <x> <y>'],
  ['gnu', '-of', '-o:f'],
  ['gnu', '-abof x', '-a -b -o:f <x>'],
  ['gnu', '-abo f x', '-a -b -o:f <x>'],
  ['gnu', '--output f --output=g', '--output:f --output:g'],
  ['gnu', '--comp sh', '--compress-program:sh'],
  ['gnu', '--co x', '<x> ?'],
  ['gnu', '--col=a x', '--color:a <x>'],
  ['gnu', '--color a', '--color <a>'],
  ['gnu', '--output', ' ?'],
  ['gnu', '--outpu f', '<f> ?'],
  ['gnu', '-i.bak x', '-i:.bak <x>'],
  ['gnu', '-i x', '-i <x>'],
  ['gnu', '-- -o f', '<-o> <f>'],
  ['gnu', '-o -- f', '-o:-- <f>'],
  ['gnu', '- -a', '-a <->'],
  ['gnu', '+x', '<+x>'],
  ['gnu', '-5 x', '-5 <x>'],
  ['gnu', '--all=1', ' ?'],
  ['gnu', '-z', ' ?'],
  ['gnu', '-az', '-a ?'],
  ['gnu', '--nothing', ' ?'],
  ['gnu', '--no-all', ' ?'],
  ['gnu', '-k=v', '-k:=v'],
  ['posix', '-a x -o f', '-a <x> <-o> <f>'],
  ['tar', 'ao f x', '-a -o:f <x>'],
  ['tar', 'ok f v x', '-o:f -k:v <x>'],
  ['tar', '-ao f x', '-a -o:f <x>'],
  ['parseOptions', '--no-all x', '--no-all <x>'],
  ['parseOptions', '--no-output', '--no-output'],
  ['parseOptions', '--merged x', '--merged:x'],
  ['parseOptions', '--comp sh', '--compress-program:sh'],
  ['parseKnownOptions', '--comp sh', '<sh> ?'],
  ['byHand', '-ab x', '<x> ?'],
  ['byHand', '-o f x -a', '-o:f <x> <-a>'],
  ['pflag', '--all=true -k=v', '--all -k:v'],
  ['pflag', '--all=false x', '<x>'],
  ['pflag', '--comp sh', '<sh> ?'],
  ['pflag', 'x -aof', '-a -o:f <x>'],
  ['argparse', '--comp sh', '--compress-program:sh'],
  ['argparse', '-k -a', '-a ?'],
  ['argparse', '-k -1', '-k:-1'],
  ['clap', '-k=v -ok', '-k:v -o:k'],
  ['clap', '--comp=sh', ' ?'],
  ['curl', '--output=f', ' ?'],
  ['curl', '--OUTPUT-F f x', '--output-format:f <x>'],
  ['curl', '-aof x', '-a -o:f <x>'],
  ['curl', '--no-all x', '--no-all <x>'],
];

describe('the option parser', () => {
  it.each(cases)('as %s reads %s as %s', (name, line, expected) => {
    expect(read(syntaxes[name], line.split(' '))).toBe(expected);
  });

  it('takes options of one dash by their whole names, up to the first operand', () => {
    expect(read(singleDash, ['-all', '--out=f', 'x', '-all'], single)).toBe(
      '-all -out:f <x> <-all>',
    );
    expect(read(singleDash, ['-al'], single)).toBe(' ?');
  });

  it('takes pairs by their names', () => {
    expect(read(keyValue, ['if=a', 'of=b=c'], pairs)).toBe('if=:a of=:b=c');
    expect(read(keyValue, ['xx=a'], pairs)).toBe(' ?');
    expect(read(keyValue, ['noise'], pairs)).toBe(' ?');
  });

  it.each([
    ['*', '<*> ?'],
    ['?a', '<?a> ?'],
    ['[a]*', '<[a]*> ?'],
    ['./*', '<./*>'],
    ['src/*.ts', '<src/*.ts>'],
    ['-*', ' ?'],
    ['-o*', '-o:*'],
    ['-*o', ' ?'],
    ['--output=*', '--output:*'],
    ['--out*=x', ' ?'],
    ['--color*', ' ?'],
  ])('takes the pattern %s as %s', (glob, expected) => {
    expect(read(gnu, [`‹glob›${glob}`])).toBe(expected);
  });

  it('does not fear a pattern behind --', () => {
    expect(read(gnu, ['--', '‹glob›*'])).toBe('<*>');
  });

  it('doubts a pattern as the value of an option', () => {
    expect(read(gnu, ['-o', '‹glob›x*'])).toBe('-o:x* ?');
  });
});
