import { flag, inert, loads, optional, pinned, pins, plainOptions, executes } from '../../forms.ts';
import { byHand } from '../../syntax.ts';
import type { Command, ProgramRecord } from '../../types.ts';
import { changingCommands } from './changing.ts';
import { guarded, readingCommands } from './reading.ts';
import { remoteCommands } from './remote.ts';
import { settingValue } from './settings.ts';
import { obeys, touches, walks } from './touches.ts';
import { pinnedCommands, upkeepCommands } from './upkeep.ts';

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
