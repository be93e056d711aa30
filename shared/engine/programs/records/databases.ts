import {
  doubt,
  has,
  inert,
  loads,
  maybe,
  merge,
  optional,
  path,
  pinned,
  pins,
  plainOptions,
  reads,
  risk,
  secret,
  writes,
  valuesOf,
  executes,
} from '../forms.ts';
import { readBackslashCommand, readDotCommand, readSql, type Dialect } from '../languages/sql.ts';
import { getopt, getoptCommand, gnu, wholeNames } from '../syntax.ts';
import type { Offer, Options, ProgramRecord, Reading, Yield } from '../types.ts';
import { isHere } from './own-databases.ts';
import { fixed, withRoles } from './shapes.ts';

/** What statements delete, or change, much of at once. */
const losing: readonly (readonly [pattern: RegExp, level: 'low' | 'high', what: string])[] = [
  [
    /\bdrop\s+(?:database|schema|keyspace|user|role|tablespace)\b/i,
    'high',
    'Deletes a whole database',
  ],
  [/\.dropDatabase\s*\(/, 'high', 'Deletes a whole database'],
  [/^(?:flushall|flushdb)$/i, 'high', 'Deletes a whole database'],
  [
    /\bdrop\s+(?:table|view|materialized|collection|index)\b|\.drop\s*\(/i,
    'low',
    'Deletes a table',
  ],
  [/\btruncate\s+(?:table\s+)?[\w."`]+/i, 'low', 'Deletes every row of a table'],
  [
    /\bdelete\s+from\s+[\w."`]+\s*(?:;|$)|\.deleteMany\s*\(\s*(?:\{\s*\})?\s*\)/i,
    'low',
    'Deletes every row of a table',
  ],
  [
    /\bupdate\s+[\w."`]+\s+set\b(?!.*\bwhere\b)/is,
    'low',
    'Changes a value in every row of a table',
  ],
];

const loses: NonNullable<ProgramRecord['finds']> = (_reading, args) =>
  args.flatMap(({ text }, word) => {
    const found = losing.find(([pattern]) => pattern.test(text));
    return found === undefined ? [] : [risk('data-loss', found[1], `${found[2]}.`, [word])];
  });

const never = (program: string): Yield => ({
  doubts: [doubt(`${program} runs whatever it is given as input`, -1, 'never')],
});

/** A word that begins with a dot is a command of the client; a line in a statement may be one. */
function sqliteText(text: string, word: number): Yield {
  if (/^\s*\./.test(text)) return readDotCommand(text, word);
  if (/[\n;][ \t]*\./.test(text))
    return { doubts: [doubt('a statement holds a command of sqlite3', word)] };
  return readSql(text, word, 'sqlite');
}

function sqlite(reading: Reading): Yield {
  const { operands } = reading;
  if (has(reading, '-version', '-help')) return {};
  const [database, ...statements] = operands;
  if (statements.length === 0) return merge([opened(database, false), never('sqlite3')]);
  const onlyReads =
    has(reading, '-readonly') ||
    statements.every(({ text }) => /^\s*\./.test(text) || readSql(text, -1, 'sqlite').onlyReads);
  return merge([
    opened(database, !onlyReads),
    ...statements.map(({ text, word, live }) =>
      live === null
        ? sqliteText(text, word)
        : { doubts: [doubt('a pattern stands for a statement', word)] },
    ),
  ]);
}

function opened(database: Reading['operands'][number] | undefined, changes: boolean): Yield {
  if (database === undefined || database.text === ':memory:' || database.text === '') return {};
  const name = database.text.replace(/^file:(?:\/\/(?=\/))?/, '').replace(/\?.*$/s, '');
  const doubts = /^file:(?:\/\/[^/]|.*[?%#])/s.test(database.text)
    ? [doubt('the address of a database has options, escapes or a machine', database.word)]
    : [];
  return {
    effects: [
      path(changes ? 'edits' : 'reads', name, database.word, { live: database.live !== null }),
    ],
    doubts,
  };
}

const sqliteOptions: Options = {
  ...plainOptions(`-append -ascii -bail -batch -box -column -csv -deserialize -echo -header -noheader -help -html -interactive -json -line -list -markdown
    -memtrace -nofollow -quote -readonly -safe -stats -table -tabs -version -zip -no-rowid-in-view -maxsize= -mmap= -newline= -nonce= -nullvalue= -separator= -unsafe-testing`),
  '-A': pins('sqlite3 packs and unpacks archives with -A'),
  '-init': executes('commands of sqlite3 stand in a file', reads),
  '-cmd': { ...inert, kind: 'parsed', parse: sqliteText },
  '-vfs': loads,
  '-lookaside -pagecache -heap -multiplex -hexkey -key -textkey': pinned(
    inert,
    'an option of sqlite3 is not understood',
  ),
};
const sqlite3: ProgramRecord = {
  names: ['sqlite3'],
  takesCode: true,
  does: 'Reads or changes a database in a file.',
  finds: loses,
  environment: {
    SQLITE_HISTORY: 'names a file that sqlite3 writes',
    SQLITE_TMPDIR: 'decides where sqlite3 puts files for a while',
  },
  grammar: {
    syntax: { ...wholeNames, name: 'sqlite3', equals: false, singleDash: true },
    options: sqliteOptions,
    operands: { rest: inert },
    finish: sqlite,
    offers: ({ operands }) =>
      operands
        .slice(1)
        .every(({ text }) => /^\s*\./.test(text) || readSql(text, -1, 'sqlite').onlyReads)
        ? 'files'
        : 'exact',
  },
};

function readerOf(dialect: Dialect, program: string) {
  return (text: string, word: number): Yield =>
    dialect === 'postgres' && /^\s*\\/.test(text)
      ? readBackslashCommand(text, word)
      : text.includes('\\')
        ? { doubts: [doubt(`a command of ${program} can start programs and write files`, word)] }
        : readSql(text, word, dialect);
}

const asked = (statements: readonly string[], dialect: Dialect): boolean =>
  statements.length > 0 &&
  statements.every((text) => /^\s*\\/.test(text) || readSql(text, -1, dialect).onlyReads);

/** Whether all statements of these options only ask. */
function asks(dialect: Dialect, ...names: readonly string[]) {
  return (reading: Reading): Offer =>
    asked(valuesOf(reading, ...names), dialect) || has(reading, '-l', '--list') ? 'reads' : 'exact';
}

const loadsSettings = (program: string): string =>
  `${program} takes commands or settings from its options`;
const psql: ProgramRecord = {
  names: ['psql'],
  takesCode: true,
  does: 'Asks or changes a database.',
  elsewhere: true,
  asksHere: (reading) => isHere(reading, ['-h', '--host'], ['-d', '--dbname']),
  finds: loses,
  environment: {
    'PSQL*': 'names settings and programs of psql',
    PSQLRC: 'names commands that psql runs',
    PSQL_EDITOR: 'names a program that psql starts',
    PSQL_PAGER: 'names a program that psql starts',
    PSQL_HISTORY: 'names a file that psql writes',
    PGSERVICEFILE: 'names settings of psql',
    PGSERVICE: 'names settings of psql',
    PGSYSCONFDIR: 'names settings of psql',
    PGPASSFILE: 'names a file with passwords that psql sends away',
    PGDATABASE: 'can decide which machine psql talks to',
    'PGSSL*': 'changes which machine psql trusts',
    'PGHOST*': 'decides which machine psql talks to',
    PGSSLMODE: 'changes which machine psql trusts',
    PGHOST: 'decides which machine psql talks to',
  },
  chooses: ['PGUSER', 'PGPASSWORD', 'PGPORT', 'PGAPPNAME', 'PGCONNECT_TIMEOUT', 'PGTZ'],
  grammar: {
    syntax: gnu,
    options: withRoles(
      `-l|--list -V|--version -X|--no-psqlrc -1|--single-transaction -?|--help[] -a|--echo-all -b|--echo-errors -e|--echo-queries -E|--echo-hidden -n|--no-readline
      -q|--quiet -s|--single-step -S|--single-line -A|--no-align --csv -F|--field-separator= -H|--html -R|--record-separator= -t|--tuples-only -T|--table-attr= -x|--expanded
      -z|--field-separator-zero -0|--record-separator-zero -p|--port= -U|--username= -w|--no-password -W|--password`,
      {
        '-c --command': { ...inert, kind: 'parsed', parse: readerOf('postgres', 'psql') },
        '-f --file': pinned(reads, loadsSettings('psql')),
        '-v --set --variable': pinned(inert, loadsSettings('psql')),
        '-P --pset': {
          ...inert,
          kind: 'parsed',
          parse: (value, word) =>
            /^(?:border|format|pager=(?:off|0)|null|fieldsep|footer|expanded|tuples_only|linestyle|title|numericlocale|columns|recordsep)\b/.test(
              value,
            )
              ? {}
              : { doubts: [doubt(loadsSettings('psql'), word)] },
        },
        '-o --output -L --log-file': pinned(
          writes,
          'psql writes a file, or starts a program to take what it prints',
        ),
        '-h --host': { ...inert, kind: 'reaches', direction: 'sends' },
        '-d --dbname': {
          ...inert,
          kind: 'parsed',
          parse: (value, word) => ({
            effects: /[:=]/.test(value)
              ? [{ kind: 'reaches', address: value, direction: 'sends', word }]
              : [],
          }),
        },
      },
    ),
    operands: { rest: inert },
    finish: (one) =>
      has(one, '-c', '--command', '-l', '--list', '-V', '--version', '-?', '--help', '-f', '--file')
        ? {}
        : never('psql'),
    offers: asks('postgres', '-c', '--command'),
  },
};

/** It asks what to do; the options of click stand in full. What is not here pins. */
const pgcli: ProgramRecord = {
  ...psql,
  names: ['pgcli'],
  grammar: {
    syntax: { ...getopt, name: 'click' },
    options: withRoles('-l|--list --list-dsn --version --help --ping -p|--port= -w|--no-password', {
      '-h --host': { ...inert, kind: 'reaches', direction: 'sends' },
    }),
    operands: { rest: pinned(inert, loadsSettings('pgcli')) },
    finish: (one) =>
      has(one, '-l', '--list', '--list-dsn', '--version', '--help', '--ping') ? {} : never('pgcli'),
  },
};

const mysql: ProgramRecord = {
  names: ['mysql', 'mariadb'],
  takesCode: true,
  does: 'Asks or changes a database.',
  elsewhere: true,
  asksHere: (reading) => isHere(reading, ['-h', '--host', '-S', '--socket'], ['-D', '--database']),
  finds: loses,
  environment: {
    MYSQL_HOME: 'names settings of mysql',
    MYSQL_HOST: 'decides which machine mysql talks to',
    MYSQL_UNIX_PORT: 'decides which machine mysql talks to',
    MYSQL_PS1: 'changes what mysql shows',
    MYSQL_HISTFILE: 'names a file that mysql writes',
    MYSQL_TEST_LOGIN_FILE: 'names settings of mysql',
    LIBMYSQL_PLUGIN_DIR: 'decides which libraries mysql loads',
  },
  chooses: ['MYSQL_PWD', 'MYSQL_TCP_PORT'],
  grammar: {
    // Its own `my_getopt`, which heeds no POSIXLY_CORRECT; `--loose-…` and `_` for `-` are doubts.
    syntax: { ...gnu, name: 'my_getopt' },
    options: withRoles(
      `-?|--help -I --abort-source-on-error --auto-rehash -A|--no-auto-rehash --auto-vertical-output -B|--batch --binary-as-hex --binary-mode --column-names -N|--skip-column-names --column-type-info -c|--comments
      -C|--compress --connect-expired-password --connect-timeout= -D|--database= -T|--debug-info --debug-check --default-character-set= --delimiter= -f|--force -H|--html -i|--ignore-spaces
      --line-numbers -L|--skip-line-numbers --max-allowed-packet= --max-join-size= --net-buffer-length= -b|--no-beep -o|--one-database -P|--port= --print-query-on-error --progress-reports --protocol= -q|--quick
      --quick-max-column-width= -r|--raw --reconnect -U|--safe-updates|--i-am-a-dummy --sandbox --secure-auth --select-limit= --show-warnings --sigint-ignore -s|--silent --ssl --ssl-cipher= --tls-version=
      --ssl-mode= --ssl-verify-server-cert -t|--table -n|--unbuffered -u|--user= -v|--verbose -V|--version -E|--vertical -w|--wait -X|--xml --skip-pager --skip-auto-rehash --skip-line-numbers --no-defaults --skip-ssl`,
      {
        '-e --execute': { ...inert, kind: 'parsed', parse: readerOf('mysql', 'mysql') },
        '-p --password': { ...optional(inert), kind: 'secret' },
        '-h --host': { ...inert, kind: 'reaches', direction: 'sends' },
        '-S --socket --ssl-ca --ssl-capath --ssl-cert --ssl-key --ssl-crl --ssl-crlpath': reads,
        '--init-command --plugin-dir --default-auth --login-path --defaults-file --defaults-extra-file --defaults-group-suffix --character-sets-dir --server-arg --prompt':
          pinned(inert, loadsSettings('mysql')),
        '--pager': { ...maybe(inert), level: 'pinned', why: 'mysql starts the program in --pager' },
        '--tee': pinned(writes, 'mysql writes a file'),
        '-# --debug': pinned(optional(inert), 'mysql writes a file'),
        '-G --named-commands --local-infile --enable-cleartext-plugin': pins(
          loadsSettings('mysql'),
        ),
      },
    ),
    operands: { rest: inert },
    finish: (one) =>
      has(one, '-e', '--execute', '-V', '--version', '-?', '--help') ? {} : never('mysql'),
    offers: asks('mysql', '-e', '--execute'),
  },
};

const dropping: readonly ProgramRecord[] = ['dropdb', 'dropuser'].map((name) => ({
  names: [name],
  does: 'Deletes a whole database or account.',
  grammar: {
    syntax: getopt,
    options: {
      ...plainOptions(
        '-e --echo -f --force -i --interactive -V --version --if-exists -? --help -w --no-password -W --password',
      ),
      '-h --host -p --port -U --username --maintenance-db': inert,
    },
    operands: { rest: inert },
    finish: () => ({ risks: [risk('data-loss', 'high', 'Deletes a whole database or account.')] }),
    offers: 'exact',
  },
}));

const redisReads: ReadonlySet<string> = new Set(
  `ping echo get mget getrange strlen exists type ttl pttl keys scan dbsize randomkey hget hmget hgetall hkeys hvals
  hlen hexists hscan llen lrange lindex scard smembers sismember sscan zrange zrevrange zrangebyscore zscore zcard
  zcount zrank zscan xlen xrange xrevrange time info lastsave`.split(/\s+/),
);

/** Words that look at what a database of this machine keeps. Without any, it takes them from its input. */
function onlyAsks(reading: Reading): boolean {
  const [first] = reading.operands;
  const hosts = valuesOf(reading, '-h', '-u', '-s');
  if (!hosts.every((one) => /^(?:localhost|127\.0\.0\.1|::1)$/.test(one))) return false;
  if (first === undefined)
    return has(
      reading,
      '--scan',
      '--stat',
      '--bigkeys',
      '--memkeys',
      '--hotkeys',
      '--version',
      '--help',
    );
  return first.live === null && redisReads.has(first.text.toLowerCase());
}

/** What they write holds what the database says. */
const dumps: ProgramRecord = {
  names: ['pg_dump', 'pg_dumpall'],
  does: 'Writes out what a database holds.',
  elsewhere: true,
  grammar: {
    syntax: gnu,
    options: withRoles(
      `-d|--dbname= -F|--format= -j|--jobs= -v|--verbose -V|--version -Z|--compress= --lock-wait-timeout= --no-sync -?|--help -a|--data-only
      -b|--large-objects --blobs -B|--no-large-objects --no-blobs -c|--clean -C|--create -e|--extension= -E|--encoding= -n|--schema=
      -N|--exclude-schema= -O|--no-owner -s|--schema-only -S|--superuser= -t|--table= -T|--exclude-table= -x|--no-privileges --no-acl
      --binary-upgrade --column-inserts --attribute-inserts --disable-dollar-quoting --disable-triggers --enable-row-security
      --exclude-table-data= --extra-float-digits= --if-exists --inserts --no-comments --no-publications
      --no-security-labels --no-subscriptions --no-table-access-method --no-tablespaces --no-toast-compression
      --no-unlogged-table-data --on-conflict-do-nothing --quote-all-identifiers --rows-per-insert= --section=
      --serializable-deferrable --snapshot= --strict-names --use-set-session-authorization -h|--host= -p|--port=
      -U|--username= -w|--no-password -W|--password --role= -g|--globals-only -r|--roles-only -l|--database=`,
      { '-f --file': writes, '--filter': reads },
    ),
    operands: { rest: inert },
    offers: 'exact',
  },
};

const redis: ProgramRecord = {
  names: ['redis-cli', 'valkey-cli'],
  chooses: ['REDISCLI_AUTH'],
  does: 'Asks or changes a database.',
  elsewhere: true,
  finds: loses,
  grammar: {
    syntax: getoptCommand,
    options: {
      ...plainOptions(
        '-h= -p= -s= -n= -r= -i= -x -X= -d= -D= -c -e --tls --raw --no-raw --csv --json --stat --latency --bigkeys --memkeys --hotkeys --scan --pattern= --count= --no-auth-warning --user= -2 -3 --version --help -u=',
      ),
      '-a --pass': secret,
    },
    operands: { rest: inert },
    finish: (reading) =>
      onlyAsks(reading) ? {} : { doubts: [doubt('redis-cli changes a database and runs code')] },
    offers: (reading) => (onlyAsks(reading) ? 'reads' : 'exact'),
  },
};

export const databasePrograms: readonly ProgramRecord[] = [
  sqlite3,
  psql,
  pgcli,
  mysql,
  ...dropping,
  redis,
  dumps,
  ...fixed('pinned', 'changes whole databases', 'mysqladmin mariadb-admin rabbitmqctl etcdctl'),
  ...fixed(
    'pinned',
    'runs code of its own language that its arguments or files hold',
    `duckdb clickhouse clickhouse-client clickhouse-local
    sqlplus sqlcmd usql spark-submit spark-shell pyspark beeline hive hadoop mycli snowsql bq cockroach`,
    { finds: loses },
  ),
  ...fixed(
    'pinned',
    'runs code of its own language that its arguments or files hold',
    'mongosh mongo',
    { elsewhere: true, finds: loses },
  ),
];
