import { chosen, doubt, flag, inert, path } from '../forms.ts';
import { byHand } from '../syntax.ts';
import type {
  Argument,
  CustomReading,
  Doubt,
  Effect,
  Operand,
  ProgramRecord,
  RiskOf,
  Taken,
} from '../types.ts';

/** Tests and options of an expression, by how many words they take. */
const plain: ReadonlySet<string> = new Set(
  `-a -and -o -or -not ! ( ) , -daystart -depth -d -follow -help --help -ignore_readdir_race
  -noignore_readdir_race -mount -noleaf -nowarn -warn -xdev -empty -executable -false -nogroup -nouser
  -readable -true -writable -ls -print -print0 -prune -quit -version --version`.split(/\s+/),
);
const withOne: ReadonlySet<string> = new Set(
  `-amin -atime -cmin -context -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex
  -iwholename -links -lname -maxdepth -mindepth -mmin -mtime -name -path -perm -printf -regex
  -regextype -size -type -uid -used -user -wholename -xtype -xattrname -Bmin -Btime -flags -depth`.split(
    /\s+/,
  ),
);
/** These look at the times of a file that they name. */
const readers: ReadonlySet<string> = new Set(['-anewer', '-cnewer', '-newer', '-samefile']);
const writers: ReadonlySet<string> = new Set(['-fprint', '-fprint0', '-fprintf', '-fls']);
const running: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const safeStart = /^[A-Za-z0-9_./~%=\u0080-\uffff]/;

interface Draft {
  readonly options: Taken[];
  readonly operands: Operand[];
  readonly effects: Effect[];
  readonly doubts: Doubt[];
  readonly risks: RiskOf[];
}

/** Paths up to the first word that looks like an expression, then predicates with their words. */
function readFind(args: readonly Argument[]): CustomReading {
  const draft: Draft = { options: [], operands: [], effects: [], doubts: [], risks: [] };
  let at = leading(args, draft);
  for (; at < args.length && !isExpression(args[at]); at++) {
    const { text, live } = args[at] ?? { text: '', live: null };
    draft.operands.push({ text, live, word: at });
  }
  const predicates = at;
  while (at < args.length && draft.doubts.every(({ level }) => level !== 'never'))
    at += predicate(args, at, draft);
  args.slice(0, predicates).forEach(({ live, text }, word) => {
    if (live === 'pattern' && !safeStart.test(text))
      draft.doubts.push(doubt('the name of a file could be taken for an action', word));
  });
  const deleting = draft.options.find(({ name }) => name === '-delete');
  const some = draft.options.some(({ name }) =>
    /^-(?:i?name|i?path|i?wholename|i?regex|empty)$/.test(name),
  );
  const roots = draft.operands.length > 0 ? draft.operands : [{ text: '.', live: null, word: -1 }];
  for (const { text, live, word } of roots) {
    draft.effects.push(path('reads', text, word, { tree: true, live: live !== null }));
    if (deleting !== undefined)
      draft.effects.push(path('deletes', text, word, { tree: true, some, live: live !== null }));
  }
  const given = draft.effects.map((one) =>
    some && one.kind === 'command' ? { ...one, some: true as const } : one,
  );
  if (deleting !== undefined)
    draft.doubts.push(doubt('find -delete deletes each file that it finds', deleting.word));
  return { ...draft, effects: given };
}

function leading(args: readonly Argument[], draft: Draft): number {
  let at = 0;
  for (;;) {
    const { text = '', live = null } = args[at] ?? {};
    if (live !== null) return at;
    if (/^-(?:[HLPEXdsx]|O[0-9]?)$/.test(text)) draft.options.push(plainly(text, at++));
    else if (text === '-D' && args[at + 1] !== undefined) at += 2;
    else if (text === '-f' && args[at + 1] !== undefined) {
      // The find of BSD names a folder so.
      draft.operands.push({ text: args[at + 1]?.text ?? '', live: null, word: at + 1 });
      at += 2;
    } else if (text === '--') return at + 1;
    else return at;
  }
}

function plainly(name: string, word: number): Taken {
  return { name, value: null, live: false, negated: false, use: flag, word, valueWord: word };
}

function isExpression(arg: Argument | undefined): boolean {
  return arg !== undefined && /^(?:-.|[(),!]$)/.test(arg.text);
}

function predicate(args: readonly Argument[], at: number, draft: Draft): number {
  const { text, live } = args[at] ?? { text: '', live: null };
  const refuse = (why: string): number => {
    draft.doubts.push(doubt(why, at));
    return 1;
  };
  const take = (value: string | null): void => {
    const use = value === null ? flag : inert;
    const valueWord = value === null ? at : at + 1;
    draft.options.push({
      name: text,
      value,
      live: false,
      negated: false,
      use,
      word: at,
      valueWord,
    });
  };
  if (live !== null) return refuse('find has an expression that is still a pattern');
  if (text === '-delete' || plain.has(text)) {
    take(null);
    return 1;
  }
  if (running.has(text)) return runs(args, at, draft);
  const value = args[at + 1];
  const isFile = readers.has(text) || /^-newer[aBcm][aBcmt]$/.test(text);
  const known = isFile || withOne.has(text) || writers.has(text) || text === '-files0-from';
  if (!known) return refuse(`find has no expression ${text}`);
  if (value === undefined) return refuse(`find ${text} needs a value`);
  if (value.live === 'pattern' && !safeStart.test(value.text))
    draft.doubts.push(doubt('the name of a file could be taken for an action', at + 1));
  take(value.text);
  if (isFile && !text.endsWith('t')) draft.effects.push(path('reads', value.text, at + 1));
  if (text === '-files0-from') {
    draft.effects.push(path('reads', value.text, at + 1));
    refuse('find takes its starting points from a file');
  }
  if (!writers.has(text)) return 2;
  draft.effects.push(path('writes', value.text, at + 1));
  refuse(`find ${text} writes a file`);
  return text === '-fprintf' ? 3 : 2;
}

function runs(args: readonly Argument[], at: number, draft: Draft): number {
  const { text } = args[at] ?? { text: '' };
  const rest = args.slice(at + 1);
  const end = rest.findIndex(
    (arg, index) =>
      arg.text === ';' ||
      (arg.text === '+' && rest[index - 1]?.text === '{}' && !text.startsWith('-ok')),
  );
  const inner = end === -1 ? rest : rest.slice(0, end);
  const word = at;
  if (end === -1) draft.doubts.push(doubt(`find ${text} does not end`, at));
  const glued = inner.some(({ text: one }) => one !== '{}' && one.includes('{}'));
  if (glued) draft.doubts.push(doubt('find makes the names of files a part of other words', at));
  for (const { name, value, valueWord } of draft.options) {
    const file = /^-(?:i?name|i?path|i?wholename)$/.test(name) ? chosen(value ?? '') : null;
    if (file !== null) draft.effects.push(path('reads', file, valueWord));
  }
  const why = `find ${text} runs a command for each file`;
  // Names begin with the folders of this line, which do not begin with a dash.
  const filled = glued ? { filled: 'find makes the names of files a part of code' } : {};
  draft.effects.push({ kind: 'command', words: inner, why, word, file: '{}', ...filled });
  draft.options.push(plainly(text, word));
  return 1 + (end === -1 ? rest.length : end + 1);
}

const find: ProgramRecord = {
  names: ['find', 'gfind'],
  takesCode: true,
  onlyNames: true,
  runs: 'commands',
  does: 'Finds files below folders.',
  held: {},
  environment: { FINDOPTS: 'holds options of find' },
  grammar: {
    syntax: byHand,
    read: readFind,
    offers: ({ options }) =>
      options.some(({ name }) => name.startsWith('-exec') || name === '-delete')
        ? 'exact'
        : 'reads',
  },
};

export const findPrograms: readonly ProgramRecord[] = [find];
