import { Command } from 'commander';
import { alternatives, hookOptions, hosts } from '../../../shared/agents/index.ts';
import { answerHost } from '../../hook/answer-host.ts';
import type { CommandModule } from '../command-table.ts';

/** Seconds: less than the shortest limit that a host sets by itself. */
const patience = '55';

/** `interlock hook HOST`: the hook program by its long way, for a look by hand. */
export const declare: CommandModule['declare'] = (io) =>
  new Command('hook')
    .description(
      'Reads what an agent host tells its hook on standard input, asks the gate, and answers in ' +
        "the host's words. Hosts start the hook program itself, which is faster: see interlock install.",
    )
    .argument('<host>', alternatives(hosts))
    .option('--agent <name>', 'whose rules and whose key; the name of the host when absent')
    .option('--wait <seconds>', 'after which it says no by itself', patience)
    .addHelpText(
      'after',
      `\nExample:\n  interlock hook ${hosts[0] ?? ''} < what-the-hook-was-told.json`,
    )
    .action((host: string, { agent = host, wait }: { agent?: string; wait: string }) => {
      answerHost(hookOptions([host, '--agent', agent, '--wait', wait]), io.env, null);
    });
