import { doubt, executing, risk } from '../forms.ts';
import type { Doubt, RiskOf, Yield } from '../types.ts';

export type Dialect = 'sqlite' | 'postgres' | 'mysql';

/** Words by which a statement reaches files, programs, libraries or other servers. */
const reaching: Readonly<Record<Dialect, ReadonlySet<string>>> = {
  sqlite: new Set(
    'attach detach load_extension readfile writefile edit fsdir lsmode zipfile fts3_tokenizer writable_schema'.split(
      ' ',
    ),
  ),
  postgres: new Set(
    `program copy pg_read_file pg_read_binary_file pg_ls_dir pg_stat_file pg_execute_server_program lo_import lo_export
    dblink dblink_connect dblink_exec load do language extension server fdw pg_file_write system alter_system
    pg_reload_conf current_setting xpath_table query_to_xml database_to_xml`.split(/\s+/),
  ),
  mysql: new Set(
    'load_file outfile dumpfile infile load system source sys_exec sys_eval plugin handler soname'.split(
      ' ',
    ),
  ),
};
const clauses: Readonly<Record<Dialect, RegExp>> = {
  sqlite: /\bvacuum\b[^;]*\binto\b/i,
  postgres:
    /\balter\s+system\b|\bcreate\s+(?:or\s+replace\s+)?(?:function|procedure|event\s+trigger)\b/i,
  mysql:
    /\binto\s+(?:outfile|dumpfile)\b|\binstall\b|\bcreate\s+(?:function|trigger|event|procedure)\b|\bset\s+(?:global|persist)\b/i,
};

/** What deletes much at once. */
const losses: readonly (readonly [RegExp, 'low' | 'high', string])[] = [
  [
    /\bdrop\s+(?:database|schema|keyspace|user|role|tablespace)\b/i,
    'high',
    'Deletes a whole database.',
  ],
  [/\bdrop\s+(?:table|view|materialized|collection|index)\b/i, 'low', 'Deletes a table.'],
  [/\btruncate\s+(?:table\s+)?[\w."`]+/i, 'low', 'Deletes every row of a table.'],
  [/\bdelete\s+from\s+[\w."`]+\s*(?:;|$)/i, 'low', 'Deletes every row of a table.'],
  [
    /\bupdate\s+[\w."`]+\s+set\b(?!.*\bwhere\b)/is,
    'low',
    'Changes a value in every row of a table.',
  ],
];
const readingWords =
  /^\s*(?:select|with|explain|values|show|describe|desc|pragma\s+[\w.]+\s*(?:\(\s*['"\w]+\s*\))?\s*;?\s*$)/i;

export interface Sql extends Yield {
  /** No statement changes anything, as far as its first word tells. */
  readonly onlyReads: boolean;
}

/** Looks through statements. Texts, names in quotes and comments are told from words. */
export function readSql(text: string, word: number, dialect: Dialect): Sql {
  const bare = stripped(text, dialect);
  const doubts: Doubt[] = [];
  const risks: RiskOf[] = [];
  if (bare === null || text.length > 100_000)
    return { doubts: [doubt('the statement is not understood', word)], risks, onlyReads: false };
  const active = (bare.match(/[A-Za-z_][\w$]*/g) ?? []).find((name) =>
    reaching[dialect].has(name.toLowerCase()),
  );
  if (active !== undefined || clauses[dialect].test(bare))
    doubts.push(
      executing(
        `a statement reaches files, programs or code by ${active ?? 'what it makes'}`,
        word,
      ),
    );
  if (/(?:^|\n)\s*\\|\\[!a-zA-Z]/.test(bare))
    doubts.push(doubt('a statement holds a command of the client', word));
  const loss = losses.find(([pattern]) => pattern.test(bare));
  if (loss !== undefined) risks.push(risk('data-loss', loss[1], loss[2], [word]));
  const statements = bare.split(';').filter((one) => one.trim() !== '');
  const changing =
    /\b(?:insert|update|delete|replace|into|create|drop|alter|truncate|merge|call|grant|revoke)\b/i;
  return {
    doubts,
    risks,
    onlyReads: statements.every((one) => readingWords.test(one) && !changing.test(one)),
  };
}

/** The text with quoted parts and comments taken out; null where a quote stays open. */
function stripped(text: string, dialect: Dialect): string | null {
  let bare = '';
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? '';
    const next = text[at + 1] ?? '';
    if (
      letter === "'" ||
      letter === '"' ||
      letter === '`' ||
      (letter === '[' && dialect === 'sqlite')
    ) {
      const mark = letter === '[' ? ']' : letter;
      const end = quoteEnd(text, at + 1, mark, dialect);
      if (end === null) return null;
      // A name in quotes can be that of a function.
      bare += letter === "'" ? " '' " : ` ${text.slice(at + 1, end)} `;
      at = end;
    } else if ((letter === '-' && next === '-') || (letter === '#' && dialect === 'mysql')) {
      const end = text.indexOf('\n', at);
      if (end === -1) return bare;
      at = end - 1;
    } else if (letter === '/' && next === '*') {
      // MySQL runs what stands in `/*! … */`, and Postgres nests comments.
      const end = text.indexOf('*/', at + 2);
      if (end === -1 || text[at + 2] === '!' || text.slice(at + 2, end).includes('/*')) return null;
      bare += ' ';
      at = end + 1;
    } else if (letter === '$' && dialect === 'postgres' && /^\$\w*\$/.test(text.slice(at, at + 70)))
      return null;
    else bare += letter;
  }
  return bare;
}

/** Whether a backslash escapes depends on the dialect and its settings: where one stands before a quote, it is not known. */
function quoteEnd(text: string, start: number, mark: string, dialect: Dialect): number | null {
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\' && dialect !== 'sqlite' && /['"`\\]/.test(text[at + 1] ?? ''))
      return null;
    if (text[at] !== mark) continue;
    if (text[at + 1] !== mark) return at;
    at++;
  }
  return null;
}

/** Commands of sqlite3 that only show what the database holds, or how it is printed. */
export function readDotCommand(text: string, word: number): Yield {
  const harmless =
    /^\s*\.(?:(?:tables?|schema|fullschema|indexes|indices|databases|show|dbinfo|lint|stats|timer|eqp|explain|changes|echo|bail|nullvalue|separator|width|headers?|mode|help|quit|exit|print|dump|sha3sum|version|limit|progress|timeout|parameter\s+list)(?:[ \t]+(?:"[^"]*"|'[^']*'|(?!\.)[\w%*.,|:+-]+))*)\s*$/;
  return harmless.test(text)
    ? {}
    : { doubts: [executing('a command of sqlite3 can start programs and write files', word)] };
}

/** Commands of psql that only describe what the database holds. */
export function readBackslashCommand(text: string, word: number): Yield {
  const harmless =
    /^\s*\\(?:d[a-zA-Z]{0,3}\+?|l\+?|conninfo|z|x|timing|pset|encoding|echo)(?:[ \t]+[\w.*"+-]+)*\s*$/;
  return harmless.test(text) && !/\\[a-z]/.test(text.replace(/^\s*\\/, ''))
    ? {}
    : { doubts: [executing('a command of psql can start programs and write files', word)] };
}
