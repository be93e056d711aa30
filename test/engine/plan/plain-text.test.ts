import { readFileSync, readdirSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { confirmByGrammar, isPlainText, startsOf } from '../../../shared/engine/parse/grammar.ts';
import type { GrammarParser } from '../../../shared/engine/parse/grammar.ts';
import { readCommand } from '../../../shared/engine/parse/read.ts';
import type { CommandList } from '../../../shared/engine/parse/syntax.ts';
import { loadGrammar } from '../../../shared/home/machine.ts';
import { seeded } from '../../fuzz/random.ts';

let parser: GrammarParser;
beforeAll(async () => {
  parser = await loadGrammar();
});

function understood(text: string): CommandList | null {
  try {
    return readCommand(text);
  } catch {
    return null;
  }
}

/** Whether a text is settled without the grammar; throws where the grammar would have objected. */
function isSettled(text: string): boolean {
  const list = isPlainText(text) ? understood(text) : null;
  if (list === null) return false;
  try {
    confirmByGrammar(parser, text, startsOf(list));
  } catch (error) {
    throw new Error(`The grammar objects to ${JSON.stringify(text)}`, { cause: error });
  }
  return true;
}

const fixtures = new URL('../../fixtures/', import.meta.url);
const lines = ['everyday', 'bypass', 'analysis', 'risk', 'programs'].flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, fixtures))
    .filter((name) => name.endsWith('.txt'))
    .flatMap((name) => readFileSync(new URL(`${folder}/${name}`, fixtures), 'utf8').split('\n'))
    .flatMap((line) => [line, line.slice(line.indexOf(' ') + 1), line.split('\t').at(-1) ?? '']),
);

/** What stands in commands, and what a shell or the grammar might take for more than a word. */
const pieces =
  `git log ls cat a.txt src/a.ts --oneline -n -20 -- - + = == a=b A=1 --x=y x= =x % @ @{u} : :: ,
  . .. / // ./x ../y ~ 1 2 12 1.5 -1 +x if then fi do done for in while case esac function time test coproc
  select until else elif declare export local readonly unset typeset unsetenv let eval exec source command
  builtin [ [[ ]] ] { } ! !! # #x $x $ "$x" "a b" 'a b' "" '' "it's" 'say "x"' "#" '#' "a;b" 'a|b' "&&" ">" '<'
  | || & && ; ;; |& > >> < 2>&1 1>&2 2>/dev/null >out >> 2> >&2 &>x 3>x <<x <<<x * ? [a] {a,b} a{1,2} \\x
  --format="%h %s" --pretty='%h' x"y"z "x"y 'x'y a"b"'c' _ _x x-y x+y x.y function.x time-x if_ export=1 x[1]
  x[1]=2 x+=1 0 0x1 -x=y --y="z z" x:y x@y x%y http://h/p?q=1#f u@h:p /bin/ls ./a/b a,b -DX=1 -I. -- -
`
    .trim()
    .split(/(?<!"a|'a|"it's"|'say|%h) +|\n +/)
    .filter((piece) => piece !== '');

describe('plain text, which is read without the grammar,', () => {
  it('is most of what is said all day, and the grammar agrees', () => {
    const everyday = readFileSync(new URL('everyday/commands.txt', fixtures), 'utf8').split('\n');
    const settled = everyday.filter(isSettled).length;
    process.stdout.write(`settled without the grammar: ${settled} of ${everyday.length}\n`);
    expect(settled).toBeGreaterThan(everyday.length / 2);
  });

  it('is nothing that the grammar reads otherwise: every corpus', () => {
    expect(lines.filter(isSettled).length).toBeGreaterThan(500);
  });

  it('is nothing that the grammar reads otherwise: made of pieces', () => {
    const random = seeded(20_261);
    let settled = 0;
    for (let round = 0; round < 20_000; round += 1) {
      const count = 1 + random.below(7);
      const parts = Array.from({ length: count }, () => random.pick(pieces));
      const text = parts.join(random.chance(90) ? ' ' : random.pick(['', '  ', '\t', '\n', ';']));
      if (isSettled(random.chance(20) ? `git ${text}` : text)) settled += 1;
    }
    expect(settled).toBeGreaterThan(500);
  });

  it('is nothing that the grammar reads otherwise: corpora with a letter changed', () => {
    const random = seeded(7);
    const letters = ` abz019./:,+@%=-_'"|&;<>(){}[]!#$*?~^\\\`\n\t\u00a0é`;
    let settled = 0;
    for (let round = 0; round < 20_000; round += 1) {
      const line = random.pick(lines).slice(0, 200);
      const at = random.below(line.length + 1);
      const letter = letters[random.below(letters.length)] ?? '';
      if (isSettled(line.slice(0, at) + letter + line.slice(at + random.below(2)))) settled += 1;
    }
    expect(settled).toBeGreaterThan(1_000);
  });

  it.each(['echo $x', 'echo `id`', 'if true', 'a=b ls', 'ls &', 'ls\nid', 'ls  -l', 'echo "a$x"'])(
    'is not %j',
    (text) => {
      expect(isPlainText(text)).toBe(false);
    },
  );
});
