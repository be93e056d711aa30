import {
  doubt,
  executes,
  executing,
  flag,
  has,
  holds,
  inert,
  merge,
  optional,
  parsed,
  pinned,
  reads,
  writes,
  risk,
} from '../../forms.ts';
import type { Options, Reading, Use, Yield, Effect } from '../../types.ts';
import { whyStarts } from '../../repository/settings.ts';

const word = optional(inert);

/** Not the name of a remote: a URL, `host:path`, a transport, or a folder. `.` is the repository itself. */
export function isElsewhere(text: string): boolean {
  return text !== '.' && /[/:\\~]|^\.\.?$/.test(text);
}

/** Options of diffs, as `git help diff-options` has them. */
export const diffOptions: Options = {
  '-p -u --patch': flag,
  '-s': flag,
  '-U --unified': { ...inert, arity: 'optional' },
  '-W --function-context': flag,
  '--raw': flag,
  '--patch-with-raw --patch-with-stat': flag,
  '--numstat --shortstat --summary --compact-summary --cumulative': flag,
  '-X --dirstat': word,
  '--dirstat-by-file': word,
  '--check --name-only --name-status': flag,
  '--stat': word,
  '--stat-width --stat-name-width --stat-graph-width --stat-count': inert,
  '-z': flag,
  '--binary --full-index': flag,
  '--color': word,
  '--ws-error-highlight': inert,
  '--abbrev': word,
  '--src-prefix --dst-prefix --line-prefix': inert,
  '--no-prefix --default-prefix': flag,
  '--inter-hunk-context': inert,
  '--output-indicator-new --output-indicator-old --output-indicator-context': inert,
  '-B --break-rewrites': word,
  '-M --find-renames': word,
  '-D --irreversible-delete': flag,
  '-C --find-copies': word,
  '--find-copies-harder': flag,
  '--no-renames --rename-empty --follow --minimal': flag,
  '-l': inert,
  '-w --ignore-all-space': flag,
  '-b --ignore-space-change': flag,
  '--ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines': flag,
  '-I --ignore-matching-lines': inert,
  '--indent-heuristic --patience --histogram': flag,
  '--diff-algorithm --anchored': inert,
  '--word-diff': word,
  '--word-diff-regex': inert,
  '--color-words': word,
  '--color-moved': word,
  '--color-moved-ws': inert,
  '--relative': word,
  '-a --text': flag,
  '-R': flag,
  '--exit-code --quiet': flag,
  '--ext-diff': executes('git starts the programs for diffs that attributes and settings name'),
  '--textconv': executes('git starts the programs for texts that attributes and settings name'),
  '--ignore-submodules': word,
  '--submodule': word,
  '--ita-invisible-in-index --ita-visible-in-index': flag,
  '-S -G': inert,
  '--pickaxe-all --pickaxe-regex': flag,
  '-O': { ...reads, arity: 'required' },
  '--rotate-to --skip-to --find-object --diff-filter': inert,
  '--output': pinned(writes, 'git writes the file in --output'),
  '-c --cc': flag,
  '-0 -1 -2 -3': flag,
  '--base --ours --theirs': flag,
  '-m': flag,
  '-t': flag,
  '--diff-merges': inert,
  '--dd --no-diff-merges --combined-all-paths --remerge-diff': flag,
};

/** Options of histories: `git help rev-list`, and how commits are shown. */
export const revisionOptions: Options = {
  '-n --max-count': inert,
  '--skip --since --after --until --before --max-age --min-age --since-as-filter': inert,
  '--author --committer --grep-reflog --grep': inert,
  '--all-match --invert-grep': flag,
  '-i --regexp-ignore-case': flag,
  '--basic-regexp': flag,
  '-E --extended-regexp': flag,
  '-F --fixed-strings': flag,
  '-P --perl-regexp': flag,
  '--remove-empty --merges --no-merges --first-parent --exclude-first-parent-only': flag,
  '--min-parents --max-parents': inert,
  '--not --all': flag,
  '--branches --tags --remotes': word,
  '--glob --exclude --exclude-hidden': inert,
  '--reflog --indexed-objects --alternate-refs --single-worktree --ignore-missing --bisect': flag,
  '--stdin': flag,
  '--cherry-mark --cherry-pick --left-only --right-only --cherry': flag,
  '-g --walk-reflogs': flag,
  '--merge --boundary --simplify-by-decoration --show-pulls --full-history --dense --sparse': flag,
  '--simplify-merges': flag,
  '--ancestry-path': word,
  '--date-order --author-date-order --topo-order --reverse': flag,
  '--objects --objects-edge --unpacked --object-names --use-bitmap-index --count': flag,
  '--filter': inert,
  '--no-walk': word,
  '--do-walk': flag,
  '--pretty': word,
  '--format': inert,
  '--abbrev-commit --no-abbrev-commit --oneline': flag,
  '--encoding': inert,
  '--expand-tabs': word,
  '--notes': word,
  '--show-notes --standard-notes --show-signature --relative-date': flag,
  '--show-notes-by-default': flag,
  '--date': inert,
  '--parents --children --left-right --graph --no-graph': flag,
  '--show-linear-break': word,
  '--full-diff --log-size': flag,
  '-L': inert,
  '--root --always --no-commit-id': flag,
  '-v --verbose': flag,
  '-r': flag,
  '--disk-usage': word,
  '--exclude-promisor-objects': flag,
};

export const decorateOptions: Options = {
  '-q': flag,
  '--source --use-mailmap --mailmap --clear-decorations': flag,
  '--decorate': word,
  '--decorate-refs --decorate-refs-exclude': inert,
};

export const pathspecOptions: Options = {
  '--pathspec-from-file': pinned(reads, 'the names of the files stand in another file'),
  '--pathspec-file-nul': flag,
};

/** `-5`. */
export const count = /^-[0-9]+$/;

/** How `git pull` rebases: some ways start the editor. */
export const rebasing: Use = optional(
  parsed((value, at) =>
    /^(?:|true|false|merges|m|yes|no|on|off|1|0)$/i.test(value)
      ? {}
      : { doubts: [executing('git starts the editor for what it rebases', at)] },
  ),
);

/** Without a terminal editors take commands from their input, which may be anything. */
export function asksEditor(test: (one: Reading) => boolean, finish?: (one: Reading) => Yield) {
  return (one: Reading): Yield =>
    merge([
      finish?.(one) ?? {},
      test(one)
        ? {
            doubts: [
              doubt(
                `git ${one.command.join(' ')} starts an editor, which does what its input says`,
                -1,
                'never',
              ),
            ],
          }
        : {},
    ]);
}

const given = ['-m', '--message', '-F', '--file', '-C', '--reuse-message'];
const forShow = ['--dry-run', '--short', '--porcelain', '--long', '--no-edit'];

/** Whether Git asks for a message in an editor. */
export function commitAsks(one: Reading): boolean {
  if (holds(one, ...forShow) || one.options.some(({ name }) => name === '--no-edit')) return false;
  const fixup = one.options.some(
    ({ name, value }) => name === '--fixup' && !/^(?:amend|reword):/.test(value ?? ''),
  );
  return has(one, '-e', '--edit', '-c', '--reedit-message') || (!fixup && !has(one, ...given));
}

/** The same for what is annotated. */
export function tagAsks(one: Reading): boolean {
  const annotates = has(one, '-a', '--annotate', '-s', '--sign', '-u', '--local-user');
  return has(one, '-e', '--edit') || (annotates && !has(one, '-m', '--message', '-F', '--file'));
}

export const notesAsk = asksEditor(
  (one) => has(one, '-c', '--reedit-message') || !has(one, ...given),
);

/**
 * For commands that go through their words twice: the first time for the few options that they know
 * then, wherever those stand, so that `-o../x` counts although it is the value of the option before.
 */
export function twiceRead({ options }: Reading): Yield {
  return {
    doubts: options
      .filter(
        ({ value, word: at, valueWord }) => at !== valueWord && /^-[A-Za-z-]/.test(value ?? ''),
      )
      .map(({ name, valueWord }) =>
        doubt(`git may take the value of ${name} for an option`, valueWord),
      ),
  };
}

/** Settings whose value is a place that git takes code or settings from, not a command. */
const places = /^(?:core\.(?:hookspath|worktree)|init\.templatedir|include(?:if)?\.)|path$/;

/** Why `section.name=value` makes git start something; words that complete "KEY, which …". */
export function whySettingStarts(text: string): string | null {
  const at = text.indexOf('=');
  const written = at === -1 ? text : text.slice(0, at);
  // Without a value a setting is true.
  const value = at === -1 ? 'true' : text.slice(at + 1);
  const dot = written.indexOf('.');
  const last = written.lastIndexOf('.');
  const key =
    written.slice(0, dot).toLowerCase() +
    written.slice(dot, last) +
    written.slice(last).toLowerCase();
  if (key.startsWith('alias.') && value.startsWith('!')) return 'holds a command that git runs';
  return whyStarts({ key: dot === -1 ? written.toLowerCase() : key, value });
}

/** The value of `git -c`: what it starts is carried, and told on a prompt. */
export const settingValue: Use = parsed((text, at) => {
  const why = whySettingStarts(text);
  const [key = ''] = text.split('=', 1);
  if (why === null) return {};
  const value = text.slice(key.length + 1).replace(/^!/, '');
  const isPlace = places.test(key.toLowerCase());
  const effect: Effect = isPlace
    ? { kind: 'loads', path: value, why: `git takes ${key} from -c`, word: at }
    : { kind: 'shell', text: value, why: `git starts what ${key} names`, word: at };
  return {
    effects: [effect],
    risks: [risk('inline-code', 'high', `Sets ${key}, which ${why}.`, [at])],
  };
});
