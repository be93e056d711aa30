import { doubt, executing, risk } from '../forms.ts';
import type { Doubt, RiskOf, Yield } from '../types.ts';

export type Dialect = 'sqlite' | 'postgres' | 'mysql';

/** Words by which a statement reaches files, programs, libraries or other servers. */
const reaching: Readonly<Record<Dialect, ReadonlySet<string>>> = {
  sqlite: new Set(
    'attach detach load_extension readfile writefile edit fsdir lsmode zipfile fts3_tokenizer writable_schema temp_store_directory data_store_directory'.split(
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

/** Functions that only compute or tell, and words that a bracket may follow. */
const known: ReadonlySet<string> = new Set(
  `in values and or not exists any all some over filter as on using select from where when then else case by with
  distinct interval char varchar character numeric decimal int integer bigint text timestamp time array row within
  group order union except intersect limit offset having between like ilike similar is lateral partition rows range
  recursive materialized explain analyze verbose costs buffers format
  count sum avg min max total coalesce nullif ifnull isnull nvl iif if greatest least now current_date current_time
  current_timestamp localtime localtimestamp clock_timestamp statement_timestamp transaction_timestamp curdate curtime
  sysdate utc_timestamp date_trunc date_part date_bin extract age make_date make_interval to_char to_date to_number
  to_timestamp date date_format date_add date_sub datediff timediff timestampdiff timestampadd str_to_date
  unix_timestamp from_unixtime last_day year quarter month week day weekday dayname monthname hour minute second
  strftime julianday datetime unixepoch lower upper lcase ucase initcap length char_length character_length
  octet_length bit_length trim ltrim rtrim btrim substr substring mid replace position strpos instr locate field
  find_in_set elt split_part substring_index concat concat_ws left right lpad rpad reverse repeat space format md5
  sha1 sha2 sha224 sha256 sha384 sha512 crc32 hex unhex ascii chr ord quote quote_ident quote_literal
  quote_nullable round floor ceil ceiling truncate trunc abs mod power pow sqrt cbrt exp ln log log2 log10 sign pi
  random rand gen_random_uuid uuid greatest div width_bucket degrees radians sin cos tan row_number rank dense_rank
  percent_rank cume_dist ntile lag lead first_value last_value nth_value array_agg string_agg group_concat listagg
  json_agg jsonb_agg json_object_agg jsonb_object_agg json_build_object jsonb_build_object json_build_array
  jsonb_build_array json_object json_array json_extract json_unquote json_value json_keys json_length json_contains
  json_arrayagg json_objectagg json_pretty jsonb_pretty row_to_json to_json to_jsonb json_each jsonb_each
  json_each_text jsonb_each_text json_array_elements jsonb_array_elements json_array_elements_text
  jsonb_array_elements_text json_array_length jsonb_array_length json_typeof jsonb_typeof json_extract_path
  jsonb_extract_path json_extract_path_text jsonb_extract_path_text json_object_keys jsonb_object_keys jsonb_set
  jsonb_path_query jsonb_path_exists jsonb_strip_nulls array_length array_to_string string_to_array array_position
  array_append array_cat array_remove cardinality unnest generate_series generate_subscripts regexp_replace
  regexp_matches regexp_match regexp_split_to_table regexp_split_to_array regexp_like regexp_substr cast convert
  encode decode stddev stddev_pop stddev_samp variance var_pop var_samp corr percentile_cont percentile_disc mode
  bool_and bool_or every bit_and bit_or version database schema user current_user session_user current_database
  current_schema current_schemas connection_id found_rows pg_size_pretty pg_total_relation_size pg_relation_size
  pg_database_size pg_table_size pg_indexes_size pg_get_viewdef pg_get_functiondef pg_get_indexdef
  pg_get_constraintdef pg_get_expr pg_get_userbyid pg_backend_pid pg_postmaster_start_time pg_is_in_recovery
  obj_description col_description shobj_description format_type to_regclass has_table_privilege
  has_schema_privilege has_database_privilege txid_current_if_assigned pg_blocking_pids to_tsvector to_tsquery
  plainto_tsquery websearch_to_tsquery ts_rank similarity word_similarity st_asgeojson st_astext st_distance
  st_dwithin st_contains st_intersects st_x st_y st_area st_length st_makepoint st_setsrid`.split(
    /\s+/,
  ),
);

/**
 * Whether a statement calls nothing but functions that are known to change nothing. A database holds
 * others, of its own and of those who work on it; sqlite3 has no more than came with it.
 */
function callsOnlyKnown(statement: string, dialect: Dialect): boolean {
  if (dialect === 'sqlite') return true;
  const calls = statement.matchAll(/([A-Za-z_][\w$]*(?:\s*\.\s*[A-Za-z_][\w$]*)*)\s*\(/g);
  // `with x (a) as (…)` and aliases with columns name no function, but nothing tells them apart.
  return [...calls].every(([, name = '']) => known.has(name.toLowerCase()));
}

interface Sql extends Yield {
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
    onlyReads: statements.every(
      (one) => readingWords.test(one) && !changing.test(one) && callsOnlyKnown(one, dialect),
    ),
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
      // MySQL runs what stands in `/*! … */`, MariaDB in `/*M! … */`, and Postgres nests comments.
      const end = text.indexOf('*/', at + 2);
      if (
        end === -1 ||
        /^M?!/.test(text.slice(at + 2, at + 4)) ||
        text.slice(at + 2, end).includes('/*')
      )
        return null;
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
