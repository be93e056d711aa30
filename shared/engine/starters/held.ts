import type { StarterRule } from './types.ts';
import { gradleWords, mavenWords } from './words.ts';

/** Tasks of Rails that tell or test, and read no word behind them. */
const railsTasks =
  '--version|-T|--tasks|about|stats|middleware|initializers|time:zones|zeitwerk:check|db:migrate:status|db:version|assets:precompile|assets:clobber|tmp:clear';

/**
 * Words behind the one that says what to do: options, names, and paths in the project. Nothing that leads
 * out of it, opens a port to others, or fetches.
 */
const named = '[A-Za-z_@*\\\\][\\w.@*:,{}!\\\\-]*(?:/[\\w@*-][\\w.@*:-]*)*/?';
const furtherWords = `(?: (?:-{1,2}[A-Za-z][\\w-]*(?:=(?:${named}|\\d+))?|${named}|\\d+|127\\.0\\.0\\.1(?::\\d+)?))*`;

/** Programs that lie in the project itself, by what they are when the set is bound. */
export const heldPrograms: readonly StarterRule[] = [
  {
    name: 'gradle-wrapper',
    why: 'Tasks of the project that stay on this machine, by the wrapper in the project as it is now.',
    pattern: '{project}/gradlew',
    held: 'gradlew',
    argPattern: gradleWords,
    changes: 'project',
    examples: { match: ['{project}/gradlew test'], noMatch: ['{project}/gradlew publish'] },
  },
  {
    name: 'gradle-wrapper-below',
    why: 'The same in the folder that apps for phones have for it.',
    pattern: '{project}/android/gradlew',
    held: 'android/gradlew',
    argPattern: gradleWords,
    changes: 'project',
    examples: {
      match: ['{project}/android/gradlew test'],
      noMatch: ['{project}/android/gradlew publish', '{project}/android/gradlew -I x test'],
    },
  },
  {
    name: 'maven-wrapper',
    why: 'Goals of the project that stay on this machine, by the wrapper in the project as it is now.',
    pattern: '{project}/mvnw',
    held: 'mvnw',
    argPattern: mavenWords,
    changes: 'project',
    examples: { match: ['{project}/mvnw -q test'], noMatch: ['{project}/mvnw deploy'] },
  },
  ...'phpunit pest phpstan psalm pint rector php-cs-fixer'.split(' ').map((name): StarterRule => ({
    name: `vendor-${name}`,
    why: 'A tool for tests, types or style, as the project has it now.',
    pattern: `{project}/vendor/bin/${name}`,
    held: `vendor/bin/${name}`,
    examples: { match: [], noMatch: [`{project}/vendor/bin/${name} --bootstrap=/tmp/x.php`] },
  })),
  ...'rspec rubocop'.split(' ').map((name): StarterRule => ({
    name: `bin-${name}`,
    why: 'Tests and checks of the project, by its own program as it is now.',
    pattern: `{project}/bin/${name}`,
    held: `bin/${name}`,
    examples: { match: [], noMatch: [`{project}/bin/${name} -r /tmp/x`] },
  })),
  {
    name: 'bin-rake',
    why: 'One task that tests or tells, by the program of the project as it is now; a further word would be a further task.',
    pattern: '{project}/bin/rake',
    held: 'bin/rake',
    argPattern: `^(?:${railsTasks}|test|spec|rubocop)$`,
    examples: {
      match: [],
      noMatch: ['{project}/bin/rake db:drop', '{project}/bin/rake test db:drop'],
    },
  },
  {
    name: 'bin-rails',
    why: 'Tests, lists and code that is made from words, by the program of the project as it is now.',
    pattern: '{project}/bin/rails',
    held: 'bin/rails',
    changes: 'project',
    argPattern: `^(?:(?:${railsTasks})|(?:test|test:\\w+|routes|notes)${furtherWords}|(?:g|generate) \\w+(?::\\w+)*${furtherWords}|(?:s|server)(?: (?:-p|--port)[ =]?\\d+| -d)*)$`,
    examples: {
      match: [],
      noMatch: [
        '{project}/bin/rails db:drop',
        '{project}/bin/rails stats x:y',
        '{project}/bin/rails about db:drop',
        '{project}/bin/rails server -b 0.0.0.0',
        '{project}/bin/rails server -P ~/.bashrc',
        '{project}/bin/rails test /tmp/x_test.rb',
        '{project}/bin/rails g model ../x',
      ],
    },
  },
];

interface Console {
  readonly name: string;
  readonly programs: string;
  readonly script: string;
  readonly words: string;
  readonly never: readonly string[];
}

const known: readonly Console[] = [
  {
    name: 'artisan',
    programs: 'php',
    script: 'artisan',
    words:
      'test list about help --version route:list event:list schedule:list channel:list model:show migrate:status queue:failed make:* config:clear cache:clear view:clear route:clear event:clear optimize:clear serve pint db:show db:table schedule:list route:cache view:cache event:cache',
    never: ['migrate', 'db:wipe', 'tinker', 'key:generate', 'env:decrypt', 'down'],
  },
  {
    name: 'symfony-console',
    programs: 'php',
    script: 'bin/console',
    words:
      'list about help debug:router debug:autowiring debug:event-dispatcher lint:* cache:clear cache:warmup make:*',
    never: ['doctrine:database:drop --force', 'secrets:list --reveal', 'debug:dotenv'],
  },
  {
    name: 'django',
    programs: '{python,python3}',
    script: 'manage.py',
    words:
      'test check help version --version showmigrations makemigrations sqlmigrate findstatic runserver makemessages compilemessages show_urls optimizemigration squashmigrations',
    never: ['flush', 'migrate', 'shell', 'dbshell', 'loaddata x', 'createsuperuser'],
  },
];

/** Consoles of frameworks, by the file of the project that starts them, as it is now. */
export const consoles: readonly StarterRule[] = known.map(
  ({ name, programs, script, words, never }): StarterRule => ({
    name,
    why: `What ${script} tests, lists, checks or makes in the project, as long as that file stays as it is now.`,
    pattern: programs,
    held: script,
    args: [script, words.split(' '), '...'],
    argPattern: `^${script} \\S+${furtherWords}$`,
    changes: 'project',
    examples: {
      match: [],
      noMatch: [...never, `${words.split(' ')[0] ?? ''} --out=/srv/x`].map(
        (word) => `${programs.includes('python') ? 'python3' : 'php'} ${script} ${word}`,
      ),
    },
  }),
);
