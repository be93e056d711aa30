import { finding } from '../finding.ts';
import type { RiskCheck, RoughFinding } from '../finding.ts';
import { operands, valuesOf } from '../options.ts';

const clients =
  /^(?:psql|mysql|mariadb|sqlite3|sqlcmd|sqlplus|cockroach|clickhouse(?:-client)?|duckdb|snowsql|bq|usql|pgcli|mycli|mongosh|mongo|redis-cli|valkey-cli)$/;

/** Commands of databases that delete much at once, and what they delete. */
const statements: readonly (readonly [pattern: RegExp, level: 'low' | 'high', what: string])[] = [
  [/\bdrop\s+(?:database|schema|keyspace|user|role|tablespace)\b/i, 'high', 'a whole database'],
  [/\.dropDatabase\s*\(/, 'high', 'a whole database'],
  [/^(?:flushall|flushdb)$/i, 'high', 'a whole database'],
  [/\bdrop\s+(?:table|view|materialized|collection|index)\b|\.drop\s*\(/i, 'low', 'a table'],
  [/\btruncate\s+(?:table\s+)?[\w."`]+/i, 'low', 'every row of a table'],
  [
    /\bdelete\s+from\s+[\w."`]+\s*(?:;|$)|\.deleteMany\s*\(\s*(?:\{\s*\})?\s*\)/i,
    'low',
    'every row of a table',
  ],
  [/\bupdate\s+[\w."`]+\s+set\b(?!.*\bwhere\b)/is, 'low', 'a value in every row of a table'],
];

/** What a database or a cluster would lose. */
export const checkDataLoss: RiskCheck = ({ name, args, reading }) => {
  if (clients.test(name)) return args.flatMap((arg) => inStatement(arg));
  const words = operands(args, new Set(['-n', '--namespace', '--context', '-a', '--app']));
  if (name === 'dropdb' || name === 'dropuser')
    return [finding('data-loss', 'high', 'Deletes a whole database or account.', words)];
  if (name === 'heroku' && /^pg:(?:reset|pull|push)$/.test(words[0] ?? ''))
    return [finding('data-loss', 'high', 'Replaces a whole database.', words.slice(0, 1))];
  if ((name === 'kubectl' || name === 'oc') && words[0] === 'delete') return inCluster(words, args);
  if (name === 'rails' || name === 'rake' || name === 'bundle')
    return words.some((word) => /^db:(?:drop|reset|purge)/.test(word))
      ? [finding('data-loss', 'low', 'Deletes the database of the project.', words)]
      : [];
  if (name === 'truncate') return emptied(args);
  return reading === null ? atServices(name, args) : [];
};

/** A file that is made shorter; one that is made longer loses nothing. */
function emptied(args: readonly string[]): readonly RoughFinding[] {
  const sizes = valuesOf(args, ['-s', '--size']);
  if (sizes.length > 0 && sizes.every((size) => /^[+>%]/.test(size))) return [];
  return [finding('data-loss', 'low', 'Cuts off what is in a file.')];
}

/** What is deleted on a service, by the words of its command. */
function atServices(name: string, args: readonly string[]): readonly RoughFinding[] {
  const line = args.join(' ');
  const gone =
    (name === 'gh' &&
      (/^(?:repo|release|secret|variable|cache|ssh-key|gist|label|issue|run|codespace) delete\b/.test(
        line,
      ) ||
        /(?:^| )(?:-X *|--method[= ])DELETE\b/i.test(line))) ||
    (name === 'aws' &&
      (/\bs3 (?:rm\b.*--recursive|rb\b)/.test(line) ||
        /(?:^| )(?:delete|terminate|purge|remove|deregister)-[a-z-]+/.test(line))) ||
    (/^(?:gsutil|gcloud|az|doctl|fly|flyctl|heroku|vercel|netlify)$/.test(name) &&
      /(?:^| )(?:rm -r|delete|destroy|apps:destroy|remove)\b/.test(line));
  return gone ? [finding('data-loss', 'high', `Deletes what ${name} keeps elsewhere.`)] : [];
}

function inStatement(text: string): readonly RoughFinding[] {
  const found = statements.find(([pattern]) => pattern.test(text));
  if (found === undefined) return [];
  const [, level, what] = found;
  const verb = what.startsWith('a value') ? 'Changes' : 'Deletes';
  return [finding('data-loss', level, `${verb} ${what}.`, [text])];
}

function inCluster(words: readonly string[], args: readonly string[]): readonly RoughFinding[] {
  const whole = /^(?:ns|namespaces?|pv|pvc|persistentvolume\w*|crds?|nodes?|all)(?:\/|$)/.test(
    words[1] ?? '',
  );
  return whole || args.some((arg) => /^--all(?:$|=true|-)/.test(arg))
    ? [
        finding(
          'data-loss',
          'high',
          `Deletes ${whole ? (words[1] ?? '') : 'everything of a kind'} in the cluster.`,
          words.slice(0, 2),
        ),
      ]
    : [];
}
