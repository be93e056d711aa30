import { Command } from 'commander';
import type { CommandModule } from '../command-table.ts';
import { declareAction } from '../service/declare/action.ts';
import { declareShare } from '../service/declare/share.ts';

/** `interlock service`: the runner as a service, of this person or of the machine. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('service')
    .summary('the runner as a service: install, uninstall, status')
    .description(
      'Has systemd (Linux) or launchd (macOS) start the runner and keep it running. With --system the runner gets a user of its own, and only chosen users may use it (Linux, as root).',
    )
    .addHelpText(
      'after',
      `
Examples:
  interlock service install
  sudo interlock service install --system --allow-user alice
  interlock service install --system --allow-user alice --dry-run
  interlock service status

The unit of a person sets no sandboxing: it would hold for the approved commands as well, and
NoNewPrivileges would break sudo among them. docs/service.md says what each unit sets, and why.`,
    )
    .addCommand(declareAction(io, done, 'install'))
    .addCommand(declareAction(io, done, 'uninstall'))
    .addCommand(declareAction(io, done, 'status'))
    .addCommand(declareShare(io, done));
