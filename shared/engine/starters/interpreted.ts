import { insidePath as inside } from './words.ts';
import type { StarterRule } from './types.ts';

const option = (words: string): string => `(?: (?:${words}))*`;

/** Words of RSpec, RuboCop and other checks that choose among what the project has. */
const rubyWords = option(
  `(?:${inside}(?::\\d+)*)|-e [^-\\s]\\S*|-[aAPDf]|--(?:example|tag|only|except|format|order|seed|fail-level) [\\w:,@-]+|--(?:only-failures|fail-fast|next-failure|autocorrect|autocorrect-all|auto-correct|parallel|no-color|color|lint-all|quiet|no-pager|display-cop-names|dry-run|backtrace|force-exclusion)|-q|documentation|simple|progress`,
);

/** Subcommands of Alembic that only tell. */
const alembic = ['history', 'current', 'heads', 'branches', 'check'];

/** Tests and checks of projects in Ruby, PHP and Python, through what starts them there. */
export const interpreted: readonly StarterRule[] = [
  {
    name: 'ruby-bundle-words',
    why: 'Tests and checks of the project with words that choose among them.',
    pattern: '{bundle,bundler}',
    args: ['exec', ['rspec', 'rubocop', 'standardrb', 'erb_lint', 'brakeman'], '...'],
    argPattern: `^exec \\w+${rubyWords}$`,
    examples: {
      match: [
        'bundle exec rspec spec/models/order_spec.rb:12',
        'bundle exec rspec spec -e refunds --format documentation',
        'bundle exec rubocop -a app',
      ],
      noMatch: [
        'bundle exec cap production deploy',
        'bundle exec rspec -r /tmp/x',
        'bundle exec rspec -I /tmp',
        'bundle exec rspec --options /tmp/x',
        'bundle exec rubocop -r ./x',
        'bundle exec rubocop -c /tmp/x.yml',
        'bundle exec rspec ../x_spec.rb',
        'bundle exec rspec --format /tmp/x.rb',
        'bundle exec brakeman -o /tmp/x',
      ],
    },
  },
  {
    name: 'ruby-tasks',
    why: 'It lists the tasks of the project.',
    pattern: '{bundle,bundler}',
    args: ['exec', 'rake', ['-T', '--tasks', '-P', '--prereqs']],
    examples: { match: ['bundle exec rake -T'], noMatch: ['bundle exec rake db:drop'] },
  },
  {
    name: 'rake-lists',
    why: 'The same without Bundler.',
    pattern: 'rake',
    args: [['-T', '--tasks', '-P', '--prereqs']],
    examples: { match: ['rake -T'], noMatch: ['rake', 'rake db:drop', 'rake -f /tmp/x -T'] },
  },
  {
    name: 'composer-scripts',
    why: 'Scripts of the project that are named like a test or a check.',
    pattern: 'composer',
    args: [
      ['run-script', 'run'],
      [
        'test',
        'lint',
        'check',
        'analyse',
        'analyze',
        'stan',
        'phpstan',
        'phpunit',
        'cs',
        'pint',
        'format',
      ],
    ],
    examples: {
      match: ['composer run-script lint', 'composer run test'],
      noMatch: [
        'composer run-script deploy',
        'composer exec sh',
        'composer run-script test -d /tmp/x',
      ],
    },
  },
  {
    name: 'composer-script-lists',
    why: 'It lists the scripts of the project.',
    pattern: 'composer',
    args: [
      ['run-script', 'run'],
      ['--list', '-l'],
    ],
    examples: { match: ['composer run-script --list'], noMatch: ['composer run-script deploy'] },
  },
  {
    name: 'python-tools-with-coverage',
    why: 'Tests of the project, and which code they ran.',
    pattern: 'coverage',
    args: ['run', '-m', ['pytest', 'unittest'], '...'],
    examples: {
      match: ['coverage run -m pytest tests'],
      noMatch: [
        'coverage run x.py',
        'coverage run -m http.server',
        'coverage run -m pytest -p evil',
      ],
    },
  },
  {
    name: 'code-writes',
    why: 'Code in the command itself that is read to its end, and writes files of the project that it names.',
    pattern: '{python,python3}',
    changes: 'project',
    examples: {
      match: ["python3 -c 'print(1)'"],
      noMatch: [
        'python3 a.py',
        'python3 -c \'open("/etc/x", "w")\'',
        'python3 -c \'open(".git/config", "w")\'',
        'python3 -c \'import shutil; shutil.rmtree("src")\'',
      ],
    },
  },
  {
    name: 'python-standard-modules',
    why: 'Modules that come with Python and test, check or lay out files of the project.',
    pattern: '{python,python3}',
    args: ['-m', ['json.tool', 'py_compile', 'compileall'], '...'],
    changes: 'project',
    examples: {
      match: ['python3 -m json.tool report.json', 'python3 -m py_compile src/a.py'],
      noMatch: [
        'python3 -m http.server',
        'python3 -m json.tool a.json /etc/x.json',
        'python3 -m compileall /tmp',
      ],
    },
  },
  {
    name: 'python-runners-of-checks',
    why: 'Tools for types and style through the runner of the project.',
    pattern: '{uv,poetry,pdm,hatch}',
    args: ['run', ['pyright', 'basedpyright', 'ty', 'ruff', 'vulture', 'deptry'], '...'],
    examples: {
      match: ['uv run pyright src'],
      noMatch: ['uv run x.py', 'uv run --with x pyright'],
    },
  },
  {
    name: 'python-runners-of-modules',
    why: 'The same as modules of Python.',
    pattern: '{uv,poetry,pdm,hatch}',
    args: [
      'run',
      ['python', 'python3'],
      '-m',
      [
        'pytest',
        'unittest',
        'mypy',
        'ruff',
        'black',
        'flake8',
        'pylint',
        'isort',
        'compileall',
        'py_compile',
      ],
      '...',
    ],
    examples: {
      match: ['uv run python -m pytest -q'],
      noMatch: ['uv run python -m http.server', 'uv run python -c x', 'uv run python x.py'],
    },
  },
  {
    name: 'python-migrations-told',
    why: 'It says which changes of the database there are.',
    pattern: '{uv,poetry,pdm,hatch}',
    args: ['run', 'alembic', alembic],
    examples: {
      match: ['uv run alembic history'],
      noMatch: [
        'uv run alembic upgrade head',
        'uv run alembic downgrade base',
        'uv run alembic -c /tmp/x history',
      ],
    },
  },
  {
    name: 'python-locks-told',
    why: 'It says whether what is locked fits, and which versions of Python there are.',
    pattern: 'uv',
    args: [
      ['lock', 'python'],
      ['--check', '--locked', 'list', 'find', 'dir'],
      ['--only-installed', '--offline', '--check'],
    ],
    examples: { match: ['uv python list --only-installed'], noMatch: ['uv python install 3.13'] },
  },
  {
    name: 'python-lock-check',
    why: 'The same in short.',
    pattern: 'uv',
    args: ['lock', ['--check', '--locked', '--dry-run']],
    examples: { match: ['uv lock --check'], noMatch: ['uv lock', 'uv lock --upgrade'] },
  },
  {
    name: 'python-tools-by-name',
    why: 'Well-known tools for types and style, which uv fetches where they are not there.',
    pattern: '{uvx,pipx}',
    args: [
      [
        'ruff',
        'ty',
        'mypy',
        'black',
        'isort',
        'pyright',
        'basedpyright',
        'codespell',
        'vulture',
        'deptry',
      ],
      '...',
    ],
    examples: {
      match: ['uvx ruff check src'],
      noMatch: [
        'uvx evil',
        'uvx --from evil ruff',
        'uvx --with evil ruff',
        'uvx ruff@git+https://x',
      ],
    },
  },
  {
    name: 'ruby-recipes',
    why: 'Tasks of the project that are named like a test or a check.',
    pattern: '{bundle,bundler}',
    args: ['exec', 'rake', ['test', 'spec', 'rubocop', 'lint']],
    examples: { match: ['bundle exec rake test'], noMatch: ['bundle exec rake db:drop'] },
  },
  {
    name: 'rails-words',
    why: 'Tests of an application of Rails, and what it says of itself.',
    pattern: '{bundle,bundler}',
    args: ['exec', 'rails', ['test', 'routes', 'stats', 'notes', 'about', 'zeitwerk:check'], '...'],
    examples: {
      match: ['bundle exec rails test'],
      noMatch: [
        'bundle exec rails db:drop',
        'bundle exec rails runner x',
        'bundle exec rails test /tmp/x_test.rb',
      ],
    },
  },
];
