import type { Random } from '../../../fuzz/random.ts';

/** Scripts of sed, harmless ones and others. */
export const sedScripts = [
  'p',
  '1d',
  's/a/b/',
  's/a/b/gp',
  's/b/x/w ../out/new',
  's/b/canary/e',
  '1e canary',
  'w ../out/new',
  'r ../out/secret.txt',
  '$!d',
  '/a/,/b/p',
  'y/ab/ba/',
  's,a,b,;w../out/new',
  '1!G;h;$!d',
  '{p;p}',
  'a\\\ntext',
  'i text',
  's/a/b/m2I',
  'W ../out/new',
  'R ../out/secret.txt',
  's/x/y/w /dev/stdout',
  '/w/s/a/b/',
  'F',
  '2q',
  'l 5',
  ':a;N;ba',
  's/a/\\\nw b/',
  '\\,a,w ../out/new',
  '1~2p',
  '0,/a/d',
  'e',
  '}e canary',
  's/a/b/;s/b/canary/e',
  '#w ../out/new',
  'n;e canary',
  'b;e canary',
  's/[/]e/x/',
  'c\\',
];

/** Programs of awk. */
export const awkPrograms = [
  '{print}',
  '{print $1}',
  '$2 > 1',
  'NR==1',
  'BEGIN{print 1}',
  '{print > "../out/new"}',
  '{print >> "../out/new"}',
  '{print | "canary"}',
  'BEGIN{system("canary")}',
  'BEGIN{"canary"|getline}',
  'BEGIN{while((getline l < "../out/secret.txt")>0) print l}',
  '/a/{n++} END{print n}',
  '{print ($1>2)}',
  '{print $1 > $2}',
  'BEGIN{f="../out/new"; print 1 > f}',
  '{gsub(/a>b/,"|"); print}',
  '{printf "%s", $1}',
  'BEGIN{ARGV[1]="../out/secret.txt";ARGC=2} {print}',
  'BEGINFILE{print FILENAME}',
  'function f(x){return x} {print f($1)}',
  'BEGIN{print length(ENVIRON)}',
  '@load "filefuncs"; {print}',
  '@include "x"',
  'BEGIN{close("canary")}',
  'BEGIN{printf "x" | "cat 1>&2"}',
  '{ $1=$1 } 1',
  'BEGIN{FS="|"} {print $1}',
  'BEGIN{f="system"; @f("canary")}',
  'BEGIN{print "x" |& "canary"}',
  'END{print NR > "/dev/stderr"}',
  'a=b',
  'BEGIN { getline < "b.txt" }',
];

/** Filters of jq. */
export const filters = [
  '.',
  '.a',
  '.a[]',
  '.b|length',
  'keys',
  'map(.)',
  'input',
  'env',
  '$ENV',
  'input_filename',
  'include "x"; .',
  'import "x" as x; .',
  '$__prog_args',
  'getpath(["a"])',
  '.[]?',
  '"\\(.b)"',
  '$x',
  'inputs',
  'debug',
  'import "../out/secret" as $d; $d',
  'get_search_list',
  'halt',
  '@sh',
  'ltrimstr("a")',
  '.a as [$q] | $q',
];

/** What find is given: where it starts, and expressions with their words. */
export const find = {
  operands: (random: Random) =>
    random.chance(30) ? [] : [random.pick(['.', 'd', '../out', 'dl', 'dl/', 'a.txt', 'link', '*'])],
  expressions:
    `-name|*.txt;-type|f;-maxdepth|1;-print;-ls;-delete;-exec|cat|{}|\\;;-exec|canary|{}|\\;;
    -exec|grep|x|{}|+;-execdir|canary|\\;;-fprint|../out/new;-fls|new;-fprintf|../out/new|%p;-fprint0|new;
    -newer|a.txt;-newer|../out/secret.txt;-samefile|link;-printf|%p;-ok|canary|\\;;-size|+1;-o;-not;!;(;);,;
    -true;-empty;-quit;-prune;-follow;-L;-path|./d*;-regex|.*;-perm|-u;-mtime|-1;-newermt|2020-01-01;-xdev;
    -depth;-exec|sh|-c|canary|\\;;-files0-from|names;-anewer|link;-exec|rm|{}|+;-exec|head|-n|1|{}|\\;
    -exec|sed|-n|w ../out/new|{}|\\;;-exec|sort|-o|../out/new|{}|\\;`
      .split(/;\s*(?!\|)/)
      .map((one) => one.replace(/\\$/, '\\;').trim()),
};
