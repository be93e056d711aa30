import { Command } from 'commander';
import { RefusalError, displayPlain } from '../../../shared/base/index.ts';
import { describeRule, judgeAddress, agentReach, rulesOf } from '../../../shared/engine/index.ts';
import type { Config, Reach, Rule } from '../../../shared/engine/index.ts';
import { openHome } from '../../../shared/home/index.ts';
import { unnamedAgent } from '../../gate/authenticate.ts';
import { openPolicy } from '../approvals/file.ts';
import type { CommandModule } from '../command-table.ts';
import { exitCodes, say, sayJson } from '../io.ts';
import type { Io } from '../io.ts';

interface NetworkOptions {
  readonly agent: string;
  readonly json?: boolean;
}

/** `interlock network`: what agents reach from the sandbox, by the files of this home. Needs no runner. */
export const declare: CommandModule['declare'] = (io, done) => {
  const network = new Command('network').description(
    'Which hosts commands in the sandbox reach: "egress" in config.json, and rules of the policy about hosts.',
  );
  network
    .command('show')
    .summary('show which hosts an agent may reach')
    .description('Shows which hosts an agent may reach. Needs no runner.')
    .option('--agent <name>', 'of which agent', unnamedAgent)
    .option('--json', 'as JSON')
    .action(({ agent, json }: NetworkOptions) => {
      const { config, rules } = filesOf(io, agent);
      const reach = agentReach(config, agent);
      if (json === true) sayJson(io.stdout, { ...reach, rules });
      else for (const line of linesOf(reach, rules)) say(io.stdout, displayPlain(line));
      done(exitCodes.ok);
    });
  network
    .command('check')
    .summary('show whether an address would be allowed')
    .description(
      'Shows what would be decided about an address, before its name is looked up. Connects nowhere. Exits with 0 where it is allowed, and with 1 where it is refused or would be asked about.',
    )
    .argument('<address>', 'https://host/path, host:port, or a host')
    .option('--agent <name>', 'for which agent', unnamedAgent)
    .option('--json', 'as JSON')
    .action((address: string, { agent, json }: NetworkOptions) => {
      const { config, rules } = filesOf(io, agent);
      const told = judgeAddress(config, { agent, rules, address });
      if (json === true) sayJson(io.stdout, told);
      else say(io.stdout, displayPlain(`${told.verdict}  ${told.message}`));
      const { network: mode } = agentReach(config, agent);
      if (json !== true && mode !== 'restricted')
        say(
          io.stdout,
          `Note: sandbox.network is "${mode}" for this agent; what is said here holds with "restricted".`,
        );
      done(told.verdict === 'allow' ? exitCodes.ok : 1);
    });
  network.addHelpText(
    'after',
    `
Examples:
  interlock network show --agent claude
  interlock network check https://registry.npmjs.org/left-pad
  interlock approvals allow --kind egress --agent claude -- '*.example.com'
  interlock approvals deny --kind egress -- files.example.com`,
  );
  return network;
};

function filesOf(
  io: Io,
  agent: string,
): { readonly config: Config; readonly rules: readonly Rule[] } {
  const file = openHome(io.env).readConfig();
  if (!file.ok) throw new RefusalError(file.problem);
  const now = io.now();
  const rules = rulesOf(openPolicy(io).document, agent).filter(
    ({ kind, expiresAt }) => kind === 'egress' && (expiresAt ?? Infinity) > now,
  );
  return { config: file.config, rules };
}

const unknownWords = { ask: 'are asked about', deny: 'are refused' } as const;

function linesOf(reach: Reach, rules: readonly Rule[]): readonly string[] {
  const listed = (words: readonly string[]): string => words.join(' ') || '(none)';
  return [
    `network   ${reach.network}`,
    `presets   ${listed(reach.presets.map(({ name, hosts }) => `${name} (${String(hosts)} hosts)`))}`,
    `allow     ${listed(reach.allow)}`,
    `deny      ${listed(reach.deny)}`,
    ...rules.map((rule) => `rule      ${rule.effect ?? 'allow'} ${describeRule(rule)}  ${rule.id}`),
    `others    ${unknownWords[reach.unknown]}`,
  ];
}
