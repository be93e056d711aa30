import {
  flag,
  offerOf,
  inert,
  loads,
  optional,
  pinned,
  pins,
  plainOptions,
  executes,
  has,
} from '../../forms.ts';
import { byHand } from '../../syntax.ts';
import type { Command, ProgramRecord, Reading, Touched } from '../../types.ts';
import { changingCommands } from './changing.ts';
import { guarded, readingCommands } from './reading.ts';
import { remoteCommands } from './remote.ts';
import { settingValue, whySettingStarts } from './shared.ts';
import { pinnedCommands, upkeepCommands } from './upkeep.ts';
import { inWord } from '../../names.ts';

/** Commands that take away or replace the files that they are given. */
const changers =
  /^(?:rm|mv|checkout|restore|reset|stash|clean|apply|am|update-index|checkout-index)$/;

/** Options whose value is a pattern or a text, not a file. */
const texts = /^(?:-m|-g|-e|--(?:message|grep|author|exclude|include|glob|format|pretty))$/;
/** Whose settings start something or lead elsewhere, more often than not. */
const families = /^(?:alias|credential|filter|url|gpg|pager)\./i;
const edits = /^(?:-e|--edit|edit)$/;

/** Any word of Git may be a path of the project, `HEAD:path` too, and a setting is kept there. */
const touches: NonNullable<ProgramRecord['touches']> = (reading, args) => {
  const [command = args.find(({ text }) => !text.startsWith('-'))?.text ?? ''] = reading.command;
  const words = args.filter(({ live }) => live === null).map(({ text }) => text);
  const named = words
    .filter((word, at) => !/\s/.test(word) && !texts.test(words[at - 1] ?? ''))
    .flatMap((word) => [...inWord(word), ...word.split(':').slice(1)]);
  if (command === 'config') {
    const starts = words.some(
      (word) => edits.test(word) || families.test(word) || whySettingStarts(`${word}=!x`) !== null,
    );
    const sets = reading.effects.some(({ kind }) => kind === 'sets');
    return { reads: named, writes: starts && sets ? ['.git/config'] : [] };
  }
  return { reads: named, writes: changers.test(command) ? words.flatMap(inWord) : [] };
};

/** Commands that look into files which Git does not track, or into the whole project. */
const walks: NonNullable<ProgramRecord['walks']> = (reading) => {
  const [command] = reading.command;
  const here = { follows: false, hidden: true };
  const named = reading.operands.map(({ text }) => text);
  if (command === 'grep')
    return has(reading, '--no-index', '--untracked', '--no-exclude-standard')
      ? { ...here, roots: ['.'] }
      : null;
  if (command === 'add' || command === 'stage')
    return has(reading, '-f', '--force')
      ? { ...here, roots: has(reading, '-A', '--all') ? ['.'] : named }
      : null;
  if (command === 'diff')
    return has(reading, '--no-index') || named.some((text) => /^[/~]|^\.\.(?:\/|$)/.test(text))
      ? { ...here, roots: named }
      : null;
  return command === 'stash' && has(reading, '-a', '--all') ? { ...here, roots: ['.'] } : null;
};

const fromInput =
  /^(?:am|apply|fast-import|mktree|mktag|unpack-objects|index-pack|mailsplit|mailinfo)$/;
const takesInput = /^--(?:stdin|index-info|pathspec-from-file=-|batch-command)/;

const obeys: NonNullable<ProgramRecord['obeys']> = (words) =>
  words.some((word) => takesInput.test(word) || fromInput.test(word));

const commands: Readonly<Record<string, Command>> = Object.fromEntries(
  Object.entries({
    ...readingCommands,
    ...changingCommands,
    ...remoteCommands,
    ...upkeepCommands,
    ...pinnedCommands,
  }).map(([name, command]) => [name, guarded(command)]),
);

/** They change nothing but the index, which they refresh where they may. */
const reading = new Set([
  'blame',
  'diff',
  'log',
  'ls-files',
  'ls-tree',
  'rev-parse',
  'show',
  'status',
]);

const ofItsOwn =
  /^(?:$|(?:add|fetch|tag|branch|remote|notes|config|stash (?:list|show|drop|clear|create|store))(?: |$))/;

/** Its own folder and nothing of the tree; hooks of the project run at a commit and a push; or any. */
function changes(told: Reading): Touched {
  const command = told.command.join(' ');
  if (offerOf(told) === 'reads' || ofItsOwn.test(command)) return 'none';
  return /^(?:commit|push)\b/.test(command) ? 'own' : 'any';
}

const repository = 'git takes settings from another repository';

const git: ProgramRecord = {
  names: ['git'],
  does: 'Keeps the history of files.',
  ownRules: true,
  takesCode: true,
  discloses: [[/(?:^| )credential(?:-\S+)? (?:fill|get)\b/, 'stored logins']],
  obeys,
  walks,
  links: 'can',
  changes,
  touches,
  beyond: /^push$/,
  handsOn: true,
  held: {
    folders: ['/usr/lib/git-core', '/usr/libexec/git-core'],
    settings: ['.gitconfig', '.config/git'],
    gitSettings: true,
    where: ([, command = '']) => reading.has(command),
  },
  harmless: `GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME
    GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS`.split(/\s+/),
  environment: {
    'GIT_*': 'can name programs, settings or another repository for git',
    PAGER: 'names a program that git starts',
    EDITOR: 'names a program that git starts',
    VISUAL: 'names a program that git starts',
  },
  grammar: {
    syntax: byHand,
    options: {
      ...plainOptions('-P --no-pager -v --version -h --help --html-path --man-path --info-path'),
      ...plainOptions('--no-replace-objects --literal-pathspecs --glob-pathspecs'),
      ...plainOptions('--noglob-pathspecs --icase-pathspecs --no-optional-locks --no-lazy-fetch'),
      '--no-advice': flag,
      '--namespace --attr-source': inert,
      '-C': inert,
      '-p --paginate': executes('git starts the pager that settings name'),
      '-c': pinned(settingValue, 'git takes settings, which can name programs, from -c'),
      '--config-env': executes(
        'git takes settings, which can name programs, from --config-env',
        loads,
      ),
      '--exec-path': optional(executes('git takes its programs from --exec-path', loads)),
      '--git-dir': pinned(loads, repository),
      '--work-tree': pinned(loads, repository),
      '--super-prefix': pinned(inert, repository),
      '--bare': pins(repository),
      '--list-cmds': inert,
    },
    commands,
  },
};

export const gitPrograms: readonly ProgramRecord[] = [git];
