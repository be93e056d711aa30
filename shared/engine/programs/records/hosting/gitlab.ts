import { flag } from '../../forms.ts';
import { pflag } from '../../syntax.ts';
import type { Command, ProgramRecord } from '../../types.ts';
import { looks } from '../cobra.ts';

import { api, beyond, changing, group, R, reading } from './shared.ts';
const lists = (does: string, options = ''): Command =>
  reading(
    does,
    `${options} -F|--output= -P|--per-page= -p|--page= -g|--group= -c|--closed -A|--all -M|--merged
    -d|--draft --author= -a|--assignee= -l|--label= -m|--milestone= --search= --order= -s|--sort= -o|--opened`,
  );
const glabGroup = (does: string): Command =>
  group(does, {
    'list ls': lists('Lists them.'),
    'view show': lists('Shows one.', '--comments --resolved --unresolved'),
    diff: changing('Shows the changes.', '--color= --raw'),
    create: changing(
      'Opens one.',
      `-a|--assignee= --allow-collaboration --copy-issue-labels --create-source-branch
      -d|--description= --draft -f|--fill --fill-commit-body -H|--head= -l|--label= -m|--milestone= --no-editor
      --push --recover -i|--related-issue= --remove-source-branch --reviewer= -s|--source-branch=
      --squash-before-merge -b|--target-branch= -t|--title= --wip -y|--yes`,
    ),
    'note comment': changing('Comments on one.', '-m|--message= --unique'),
    'close reopen': changing('Closes or opens one.'),
    status: lists('Shows a state.', '-b|--branch= --compact --live'),
    'get trace': lists('Shows what a run did.', '-b|--branch= --pipeline-id='),
  });

const glab: ProgramRecord = {
  names: ['glab'],
  does: 'Works on GitLab.',
  beyond,
  environment: {
    GLAB_CONFIG_DIR: 'names settings of glab',
    GITLAB_HOST: 'decides which machine glab talks to',
  },
  grammar: {
    syntax: pflag,
    options: { '-v --version -h --help': flag, ...R },
    commands: {
      mr: glabGroup('Works on merge requests.'),
      issue: glabGroup('Works on issues.'),
      'ci pipe pipeline': glabGroup('Works on pipelines.'),
      release: group('Works on releases.', { 'list ls view': lists('Shows releases.') }),
      repo: group('Works on repositories.', {
        'list ls view search': lists('Shows repositories.'),
      }),
      api,
      version: looks('Shows the version.'),
    },
  },
};

export const gitlabPrograms: readonly ProgramRecord[] = [glab];
