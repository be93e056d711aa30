import { Command, Option } from 'commander';
import { wordsOf } from '../../../audit/reading/search-text.ts';
import { searchLog } from '../../../audit/reading/scan.ts';
import { auditFolder } from '../../audit/folder.ts';
import { parseCount, parseMoment } from '../../audit/moment.ts';
import { print } from '../../audit/print.ts';
import { hitLine } from '../../audit/row-line.ts';
import type { CommandModule } from '../../command-table.ts';
import { say, sayJson } from '../../io.ts';

interface SearchOptions {
  readonly agent?: string;
  readonly code?: string;
  readonly decision?: 'allow' | 'deny';
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** `audit search`: decisions and notes by words, agent, code and time. */
export const searchCommand: CommandModule['declare'] = (io, done) =>
  new Command('search')
    .summary('find decisions and notes')
    .description(
      'Finds decisions and notes, the newest last. Every word has to be in the command, folder, agent, code or reason; upper and lower case count the same.',
    )
    .argument('[text...]', 'words to look for')
    .option('--agent <name>', 'of this agent')
    .option('--code <code>', 'with this code, as rule-allow, policy-deny, lockout-active')
    .addOption(new Option('--decision <decision>', 'only these').choices(['allow', 'deny']))
    .option('--since <time>', 'from this time on: 2026-11-03, 2026-11-03T14:00, 2h, 7d')
    .option('--until <time>', 'up to this time; a day counts whole')
    .option('--limit <count>', 'how many at most, the newest', parseCount, 50)
    .option('--json', 'the rows as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  interlock audit search git push --since 7d\n  interlock audit search --agent claude --decision deny\n  interlock audit search --code lockout-active --json',
    )
    .action(async (text: string[], options: SearchOptions) => {
      const { agent, code, decision, since, until, limit } = options;
      const now = io.now();
      const { total, hits } = await searchLog(auditFolder(io), {
        words: wordsOf(text.join(' ')),
        limit,
        ...(agent === undefined ? {} : { agent }),
        ...(code === undefined ? {} : { code }),
        ...(decision === undefined ? {} : { decision }),
        ...(since === undefined ? {} : { since: parseMoment(since, { now }) }),
        ...(until === undefined ? {} : { until: parseMoment(until, { now, end: true }) }),
      });
      if (options.json === true) {
        const rows = hits.map(({ seq, row, outcome }) => ({ seq, ...row, outcome }));
        sayJson(io.stdout, { total, rows });
      } else {
        for (const hit of hits) await print(io.stdout, `${hitLine(hit)}\n`);
        if (total > hits.length)
          say(
            io.stderr,
            `The newest ${String(hits.length)} of ${String(total)}; --limit shows more.`,
          );
        if (total === 0) say(io.stderr, 'Nothing matches.');
      }
      done(0);
    });
