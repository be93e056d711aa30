import {
  flag,
  has,
  inert,
  into,
  merge,
  pins,
  projectFile,
  reads,
  risk,
  secret,
  writes,
  risky as risksOption,
} from '../../forms.ts';
import { pflag } from '../../syntax.ts';
import type { Command, ProgramRecord } from '../../types.ts';
import { looks } from '../cobra.ts';

import {
  api,
  beyond,
  changing,
  fetching,
  field,
  group,
  guarded,
  people,
  reading,
  risky,
  texts,
} from './shared.ts';
const login = 'Prints the GitHub login.';
const commands: Readonly<Record<string, Command>> = {
  pr: group('Works on pull requests.', {
    'create new': changing(
      'Opens a pull request.',
      `${texts} ${people} -B|--base= -d|--draft --dry-run -f|--fill
      --fill-first --fill-verbose -H|--head= --no-maintainer-edit --recover=`,
    ),
    'list ls': reading(
      'Lists pull requests.',
      `--app= -a|--assignee= -A|--author= -B|--base= -d|--draft -H|--head=
      -l|--label= -S|--search= -s|--state=`,
    ),
    status: reading('Shows pull requests that matter to you.', '-c|--conflict-status'),
    checkout: changing(
      'Switches to a pull request.',
      '-b|--branch= --detach -f|--force --recurse-submodules',
    ),
    checks: reading(
      'Shows checks of a pull request.',
      '-i|--interval= --required --watch --fail-fast',
    ),
    close: changing('Closes a pull request.', '-c|--comment= -d|--delete-branch'),
    comment: changing(
      'Comments on a pull request.',
      `${texts} --edit-last --create-if-none --delete-last --yes`,
    ),
    diff: reading('Shows the changes of a pull request.', '--color= --name-only --patch'),
    edit: changing('Changes a pull request.', `${texts} ${people} -B|--base=`),
    'lock unlock': changing('Locks a pull request.', '-r|--reason='),
    merge: changing(
      'Merges a pull request.',
      `--admin -A|--author-email= --auto -b|--body= -F|--body-file=
      -d|--delete-branch --disable-auto --match-head-commit= -m|--merge -r|--rebase -s|--squash -t|--subject=`,
      { '--admin': pins('gh goes around the checks of the repository') },
    ),
    ready: changing('Marks a pull request as ready.', '--undo'),
    reopen: changing('Opens a pull request again.', '-c|--comment='),
    review: changing(
      'Reviews a pull request.',
      '-a|--approve -b|--body= -F|--body-file= -c|--comment -r|--request-changes',
    ),
    'update-branch': changing('Brings a pull request up to date.', '--rebase'),
    view: reading('Shows a pull request.', '-c|--comments'),
  }),
  auth: group('Works on the account.', {
    status: looks('Shows who is logged in.', {
      '-a --active --help': flag,
      '-h --hostname': inert,
      '-t --show-token': risksOption(pins('gh prints the token'), 'credential-path', 'high', login),
    }),
    token: risky(
      looks('Prints the login.', '-h|--hostname= -u|--user=', { offers: 'exact' }),
      'credential-path',
      login,
    ),
  }),
  issue: group('Works on issues.', {
    'create new': changing('Opens an issue.', `${texts} ${people} --recover=`),
    'list ls': reading(
      'Lists issues.',
      `--app= -a|--assignee= -A|--author= -l|--label= --mention= -m|--milestone=
      -S|--search= -s|--state=`,
    ),
    status: reading('Shows issues that matter to you.'),
    view: reading('Shows an issue.', '-c|--comments'),
    close: changing('Closes an issue.', '-c|--comment= -r|--reason= --duplicate-of='),
    comment: changing(
      'Comments on an issue.',
      `${texts} --edit-last --create-if-none --delete-last --yes`,
    ),
    delete: risky(changing('Deletes an issue.', '--yes'), 'data-loss', 'Deletes an issue.'),
    develop: changing(
      'Makes a branch for an issue.',
      '-b|--base= -c|--checkout -i|--issue-repo= -l|--list -n|--name= --branch-repo=',
    ),
    edit: changing('Changes an issue.', `${texts} ${people}`),
    'lock unlock pin unpin transfer': changing('Changes an issue.', '-r|--reason='),
    reopen: changing('Opens an issue again.', '-c|--comment='),
  }),
  run: group('Works on runs of workflows.', {
    'list ls': reading(
      'Lists runs.',
      `-a|--all -b|--branch= -c|--commit= --created= -e|--event= -s|--status= -u|--user=
      -w|--workflow=`,
    ),
    view: reading(
      'Shows a run.',
      '-a|--attempt= --exit-status -j|--job= --log --log-failed -v|--verbose',
    ),
    watch: reading('Waits for a run.', '--compact --exit-status -i|--interval='),
    cancel: changing('Ends a run.', '--force'),
    delete: risky(changing('Deletes a run.'), 'data-loss', 'Deletes a run with its logs.'),
    download: fetching(changing('Fetches what a run made.', '-D|--dir= -n|--name= -p|--pattern=')),
    rerun: changing('Starts a run again.', '-d|--debug --failed -j|--job='),
  }),
  workflow: group('Works on workflows.', {
    'list ls': reading('Lists workflows.', '-a|--all'),
    view: reading('Shows a workflow.', '-r|--ref= -y|--yaml'),
    run: changing('Starts a workflow.', '-F|--field= --json -f|--raw-field= -r|--ref=', {
      '-F --field': field,
      '-f --raw-field': inert,
    }),
    'enable disable': changing('Switches a workflow on or off.'),
  }),
  release: group('Works on releases.', {
    'list ls': reading('Lists releases.', '--exclude-drafts --exclude-pre-releases -O|--order='),
    view: reading('Shows a release.'),
    'create new': risky(
      changing(
        'Publishes a release.',
        `--discussion-category= -d|--draft --fail-on-no-commits
      --generate-notes --latest -n|--notes= -F|--notes-file= --notes-from-tag --notes-start-tag= -p|--prerelease
      --target= -t|--title= --verify-tag`,
        {},
      ),
      'data-leaving',
      'Publishes with gh release.',
    ),
    edit: risky(
      changing(
        'Changes a release.',
        `--discussion-category= --draft --latest -n|--notes= -F|--notes-file=
      --prerelease --tag= --target= -t|--title= --verify-tag`,
      ),
      'data-leaving',
      'Publishes with gh release.',
    ),
    upload: risky(
      {
        ...changing('Adds files to a release.', '--clobber'),
        operands: { first: [inert], rest: reads },
      },
      'data-leaving',
      'Publishes with gh release.',
    ),
    download: fetching(
      changing(
        'Fetches files of a release.',
        '-A|--archive= --clobber -D|--dir= -O|--output= -p|--pattern= --skip-existing',
        { '-O --output': writes },
      ),
    ),
    'delete delete-asset': risky(
      changing('Deletes a release.', '--cleanup-tag -y|--yes'),
      'data-loss',
      'Deletes a release.',
    ),
    'verify verify-asset': reading('Checks a release.'),
  }),
  repo: group('Works on repositories.', {
    'list ls': reading(
      'Lists repositories.',
      '--archived --fork -l|--language= --no-archived --source --topic= --visibility=',
    ),
    view: reading('Shows a repository.', '-b|--branch='),
    clone: {
      ...changing('Clones a repository.', '-u|--upstream-remote-name= --no-upstream'),
      operands: { first: [inert], rest: into },
    },
    'create new': {
      ...changing(
        'Makes a repository.',
        `--add-readme -c|--clone -d|--description= --disable-issues --disable-wiki
        -g|--gitignore= -h|--homepage= --include-all-branches --internal -l|--license= --private --public --push
        -r|--remote= -s|--source= -t|--team= -p|--template=`,
        { '--source': projectFile, '-t --team': inert },
      ),
      finish: (one) =>
        merge([
          guarded(one),
          has(one, '--push', '--source', '-s')
            ? { risks: [risk('data-leaving', 'high', 'Publishes with gh repo.')] }
            : {},
        ]),
    },
    fork: changing(
      'Forks a repository.',
      '--clone --default-branch-only --fork-name= --org= --remote --remote-name=',
    ),
    sync: {
      ...changing('Brings a repository up to date.', '-b|--branch= --force -s|--source='),
      finish: (one) =>
        has(one, '--force')
          ? { risks: [risk('history-rewrite', 'high', 'Throws away commits of a branch.')] }
          : {},
    },
    'set-default': changing('Chooses the repository.', '-u|--unset -v|--view'),
    delete: risky(
      changing('Deletes a repository.', '--yes'),
      'data-loss',
      'Deletes a whole repository.',
    ),
    'archive unarchive': risky(
      changing('Closes a repository.', '-y|--yes'),
      'data-loss',
      'Closes a whole repository.',
    ),
    rename: changing('Renames a repository.', '-y|--yes'),
    edit: {
      ...changing(
        'Changes a repository.',
        `--accept-visibility-change-consequences --add-topic= --allow-forking
        --allow-update-branch --default-branch= --delete-branch-on-merge -d|--description=
        --enable-advanced-security --enable-auto-merge --enable-discussions --enable-issues
        --enable-merge-commit --enable-projects --enable-rebase-merge --enable-secret-scanning
        --enable-secret-scanning-push-protection --enable-squash-merge --enable-wiki -h|--homepage=
        --remove-topic= --template --visibility=`,
      ),
      finish: (one) =>
        has(one, '--visibility')
          ? { risks: [risk('data-leaving', 'high', 'Changes who may see a repository.')] }
          : {},
    },
  }),
  gist: group('Works on gists.', {
    'list ls': reading('Lists gists.', '--public --secret --include-content --filter='),
    view: reading('Shows a gist.', '-f|--filename= --files -r|--raw'),
    clone: { ...changing('Clones a gist.'), operands: { first: [inert], rest: into } },
    'create new': risky(
      {
        ...changing('Publishes a gist.', '-d|--desc= -f|--filename= -p|--public -w|--web'),
        operands: { rest: reads },
      },
      'data-leaving',
      'Publishes with gh gist.',
    ),
    edit: risky(
      changing('Changes a gist.', '-a|--add= -d|--desc= -f|--filename= -r|--remove=', {
        '-a --add': reads,
      }),
      'data-leaving',
      'Publishes with gh gist.',
    ),
    delete: risky(changing('Deletes a gist.', '--yes'), 'data-loss', 'Deletes a gist.'),
  }),
  label: group('Works on labels.', {
    'list ls': reading('Lists labels.', '--order= -S|--search= --sort='),
    'create edit clone': changing(
      'Changes labels.',
      '-c|--color= -d|--description= -f|--force -n|--name=',
    ),
    delete: changing('Deletes a label.', '--yes'),
  }),
  search: group('Searches the service.', {
    'issues prs repos commits code': reading(
      'Searches the service.',
      `--app= --archived --assignee= --author= --author-date=
      --author-email= --author-name= -B|--base= --checks= --closed= --commenter= --comments= --committer=
      --committer-date= --committer-email= --committer-name= --created= --draft --extension= --filename=
      --followers= --forks= --good-first-issues= --hash= -H|--head= --help-wanted-issues= --include-forks=
      --include-prs --interactions= --involves= --label= --language= --license= --locked --match= --mentions=
      --merge --merged --merged-at= --milestone= --no-assignee --no-label --no-milestone --no-project
      --number-topics= --order= --owner= --parent= --project= --reactions= --review= --review-requested=
      --reviewed-by= --size= --sort= --stars= --state= --team-mentions= --topic= --tree= --updated= --visibility=`,
    ),
  }),
  secret: group('Works on secrets of workflows.', {
    'list ls': reading('Lists names of secrets.', '-a|--app= -e|--env= -o|--org= -u|--user'),
    set: changing(
      'Sets a secret.',
      `-a|--app= -b|--body= --env= -f|--env-file= --no-repos-selected --no-store -o|--org=
      --repos= -r -u|--user -v|--visibility=`,
      { '-b --body': secret, '-f --env-file': reads, '-e': inert, '-r': inert },
    ),
    'delete remove': changing('Deletes a secret.', '-a|--app= --env= -o|--org= -u|--user', {
      '-e': inert,
    }),
  }),
  variable: group('Works on variables of workflows.', {
    'list ls get': reading('Lists variables.', '--env= -o|--org='),
    set: changing(
      'Sets a variable.',
      '-b|--body= --env= -f|--env-file= -o|--org= -r|--repos= -v|--visibility=',
      { '-f --env-file': reads },
    ),
    'delete remove': changing('Deletes a variable.', '--env= -o|--org='),
  }),
  cache: group('Works on caches of workflows.', {
    'list ls': reading('Lists caches.', '-k|--key= -O|--order= -r|--ref= -S|--sort='),
    delete: changing('Deletes caches.', '-a|--all --succeed-on-no-caches'),
  }),
  ruleset: group('Shows rules of repositories.', {
    'list ls view check': reading('Shows rules.', '-o|--org= -p|--parents --default'),
  }),
  status: reading('Shows what matters to you.', '-e|--exclude= -o|--org='),
  org: group('Shows organisations.', { 'list ls': reading('Lists organisations.') }),
  'ssh-key': group('Works on keys.', { 'list ls': reading('Lists keys.') }),
  'gpg-key': group('Works on keys.', { 'list ls': reading('Lists keys.') }),
  project: group('Works on projects.', {
    'list ls view field-list item-list': reading(
      'Shows projects.',
      '--closed --format= --owner= --query=',
    ),
  }),
  api,
  completion: looks('Prints completions for a shell.', '-s|--shell='),
  version: looks('Shows the version.'),
  help: looks('Shows help.'),
};

const environment = {
  GH_PAGER: 'names a program that gh starts',
  GH_EDITOR: 'names a program that gh starts',
  GH_BROWSER: 'names a program that gh starts',
  GH_CONFIG_DIR: 'names settings of gh, which can hold aliases of shell commands',
  GH_PATH: 'names a program that gh starts',
  GH_HOST: 'decides which machine gh talks to',
  GH_REPO: 'decides which machine gh talks to',
  GLAMOUR_STYLE: 'names a file that gh reads',
};

const gh: ProgramRecord = {
  names: ['gh'],
  does: 'Works on GitHub.',
  environment,
  chooses: ['GH_TOKEN', 'GITHUB_TOKEN', 'GH_PROMPT_DISABLED', 'GH_NO_UPDATE_NOTIFIER'],
  beyond,
  grammar: { syntax: pflag, options: { '--version -h --help': flag }, commands },
};

export const githubPrograms: readonly ProgramRecord[] = [gh];
