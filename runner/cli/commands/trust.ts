import { Command } from 'commander';
import { RefusalError, displayPlain } from '../../../shared/base/index.ts';
import { toldTrust, trustOf } from '../../../shared/engine/index.ts';
import type { ToldTrust } from '../../../shared/engine/index.ts';
import { openHome } from '../../../shared/home/index.ts';
import { unnamedAgent } from '../../gate/authenticate.ts';
import type { CommandModule } from '../command-table.ts';
import { exitCodes, say, sayJson } from '../io.ts';
import { claimsFrom } from '../trust-claims.ts';
import type { ClaimOptions } from '../trust-claims.ts';

interface ExplainOptions extends ClaimOptions {
  readonly agent?: string;
  readonly json?: boolean;
}

/** `interlock trust explain`: as whom a request counts, by the settings of this home. Needs no runner. */
export const declare: CommandModule['declare'] = (io, done) => {
  const trust = new Command('trust').description(
    'How far those are trusted for whom agents work: "users" in config.json.',
  );
  trust
    .command('explain')
    .summary('show as whom a request counts, and why')
    .description(
      'Says as whom a request counts, why, and what that means. Asks nobody, runs nothing, needs no runner.',
    )
    .option('--agent <name>', 'through which agent, as with its key (default: main)')
    .option('--user <name>', 'a request that says it is for this user')
    .option('--channel <channel>', 'one that came by this channel (default: terminal:default)')
    .option('--group', 'others are in that channel')
    .option('--json', 'the findings as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  interlock trust explain\n  interlock trust explain --channel signal:+4912345 --group',
    )
    .action((options: ExplainOptions) => {
      const home = openHome(io.env);
      const file = home.readConfig();
      if (!file.ok) throw new RefusalError(file.problem);
      const told = toldTrust(
        trustOf(file.config, {
          uid: home.uid,
          ownUid: home.uid,
          agent: options.agent ?? unnamedAgent,
          claimed: null,
          signed: true,
          claims: claimsFrom(options, {}),
        }),
      );
      if (options.json === true) sayJson(io.stdout, told);
      else for (const line of linesOf(told)) say(io.stdout, displayPlain(line));
      done(exitCodes.ok);
    });
  return trust;
};

const shells = {
  'as-configured': 'wherever config.json says, this machine included',
  sandbox: 'in the sandbox alone',
  none: 'none',
} as const;
const files = {
  any: 'read and change',
  workspace: 'change in the workspace alone',
  read: 'read alone',
  none: 'none',
} as const;

function linesOf({ level, users, channel, reasons, may, memory }: ToldTrust): readonly string[] {
  return [
    `Counts as ${level}${users.length === 0 ? '' : `, for ${users.join(' and ')}`}${channel === null ? '' : `, by ${channel}`}.`,
    ...reasons.map((reason) => `  ${reason.level === level ? '→' : ' '} ${reason.why}`),
    `  commands:    ${shells[may.shell]}`,
    `  files:       ${files[may.files]}`,
    `  other tools: ${may.otherTools ? 'yes' : 'none'}`,
    `  memories:    ${memory.length === 0 ? 'none' : memory.join(', ')}`,
    ...(may.shell === 'none' ? [] : ['What is asked about and refused within that say the rules.']),
  ];
}
