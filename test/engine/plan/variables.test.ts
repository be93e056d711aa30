import { describe, expect, test } from 'vitest';
import { analyse, outcome } from './support/machine.ts';

describe('variables that a command sets are known where they surely hold', () => {
  test.each([
    ['A=b; ls $A', "A='b'; '/usr/bin/ls' 'b'"],
    ['A="x  y" && ls "$A/z"', "A='x  y' && '/usr/bin/ls' 'x  y/z'"],
    ['export A=b C=d; ls $A ${C}', "export 'A=b' 'C=d'; '/usr/bin/ls' 'b' 'd'"],
    ['A=b B=$A; ls $B', "A='b' B='b'; '/usr/bin/ls' 'b'"],
    ['USER=x FOO=$USER ls', "USER='x' FOO='x' '/usr/bin/ls'"],
    ['A=~/x; ls $A', "A='/home/ann/x'; '/usr/bin/ls' '/home/ann/x'"],
    ['[[ a -nt b ]] &>>x; ls', `[ 'a' '-nt' 'b' ] >>'/home/ann/src/app/x' 2>&1; '/usr/bin/ls'`],
    ['ls && A=b && ls $A', "'/usr/bin/ls' && A='b' && '/usr/bin/ls' 'b'"],
    ['A="x y"; ls $A a$A', "A='x y'; '/usr/bin/ls' 'x' 'y' 'ax' 'y'"],
    ['A=; ls $A "$A" x$A', "A=''; '/usr/bin/ls' '' 'x'"],
    ['A=a.b.ts; ls ${A%.*} ${A%%.*} ${A#*.}', "A='a.b.ts'; '/usr/bin/ls' 'a.b' 'a' 'b.ts'"],
    ['A=x/y; ls ${A##*/} ${#A} ${A/x/z} ${A:-b}', "A='x/y'; '/usr/bin/ls' 'y' '3' 'z/y' 'x/y'"],
    ['A=4; ls $((A*2+1)) $(( -(1 + $A) % 3 ))', "A='4'; '/usr/bin/ls' '9' '-2'"],
    ['A=1; A=2; ls $A', "A='1'; A='2'; '/usr/bin/ls' '2'"],
    ["A=1; A=2 bash -c 'ls $A'", "A='1'; A='2' '/usr/bin/ls' '2'"],
    ["export A=1; bash -c 'ls $A'", "export 'A=1'; '/usr/bin/ls' '1'"],
    ['{ A=b; }; ls $A', "{ A='b'; }; '/usr/bin/ls' 'b'"],
    ['A=git; $A status', "A='git'; '/usr/bin/git' 'status'"],
    ['A=b; cat <<E\n$A\nE\n', "A='b'; '/usr/bin/cat' <<'END'\nb\nEND\n"],
    ['A=b; ls > $A', "A='b'; '/usr/bin/ls' >'/home/ann/src/app/b'"],
    [
      'npm test; rc=$?; echo "exit $rc"; exit $rc',
      `'/usr/bin/npm' 'test'; rc="$?"; printf '%s\\n' 'exit '"$rc"; exit "$rc"`,
    ],
    ['A="$(cat <<\'E\'\nx y\nE\n)"; ls "$A"', "A='x y'; '/usr/bin/ls' 'x y'"],
    ['ls; rc=$?; [ $rc -eq 0 ]', `'/usr/bin/ls'; rc="$?"; [ "$rc" '-eq' '0' ]`],
  ])('%j', (command, canonical) => {
    expect(outcome(command)).toBe(canonical);
  });

  test.each([
    'ls && A=b; ls $A',
    'ls || A=b; ls $A',
    'A=b; ls && A=c; ls $A',
    '(A=b); ls $A',
    'A=b | true; ls $A',
    'A=b git status; ls $A',
    "bash -c 'A=b'; ls $A",
    "A=b; bash -c 'ls $A'",
    'A="x *"; ls $A',
    'A=b; ls ${A:0:1}',
    'A=b; ls ${A^^}',
    'ls ${A:-b}',
    'A=$?; ls ${A%0}',
    'A=é; ls ${#A}',
    'ls; A=$?; ls && A=b; ls $A',
    'A=b; exit; ls $A',
  ])('%j does not know the value', (command) => {
    expect(outcome(command)).toBe('opaque: parameter-expansion');
  });

  test('what is set before stands beside each later program, also where it may not hold', () => {
    const analysis = analyse('A=1; git status && A=2; npm test');
    const seen =
      analysis.ok &&
      analysis.plan.stages.map(({ argv, assignments }) => [
        argv[0],
        assignments.map(({ value }) => value),
      ]);
    expect(seen).toEqual([
      ['A=1', ['1']],
      ['git', ['1']],
      ['A=2', ['2']],
      ['npm', ['2', '1']],
    ]);
  });

  test('make is not trusted with a variable that holds more than a plain value', () => {
    const trusts = ['A=b; make', "A='$(shell id)'; make", "A='$(shell id)' && ls && A=b; make"].map(
      (text) => {
        const analysis = analyse(text);
        return analysis.ok && analysis.plan.stages.at(-1)?.trust.level;
      },
    );
    expect(trusts[0]).not.toBe('never');
    expect(trusts[1]).toBe(trusts[2]);
    expect(trusts[1]).not.toBe(trusts[0]);
  });

  test('the number of variables, and of values of one, has a bound', () => {
    const many = Array.from({ length: 40 }, (_, index) => `A${index}=b`).join('; ');
    expect(outcome(`${many}; ls`)).toBe('opaque: too-long');
    const values = Array.from({ length: 40 }, (_, index) => `ls && A=${index}`).join('; ');
    expect(outcome(`${values}; ls`)).toBe('opaque: too-long');
  });
});

describe('a condition in `[[ ]]` becomes the `[ ]` that says the same', () => {
  test.each([
    ['[[ -f a.txt ]] && ls', "[ '-f' 'a.txt' ] && '/usr/bin/ls'"],
    ['[[ ! -d "$HOME/x" ]]', "[ '!' '-d' '/home/ann/x' ]"],
    ['[[ $USER == ann ]]', "[ 'ann' '=' 'ann' ]"],
    ['[[ "$SPACED" != "" ]]', "[ 'a b' '!=' '' ]"],
    ['[[ $? = 0 ]]', `[ "$?" '=' '0' ]`],
    [
      "bash -c '[[ -f a.txt ]]; ls'",
      "'/usr/bin/bash' '--norc' '-c' '[ '\\''-f'\\'' '\\''a.txt'\\'' ]; '\\''/usr/bin/ls'\\'''",
    ],
  ])('%j', (command, canonical) => {
    expect(outcome(command)).toBe(canonical);
  });
});
