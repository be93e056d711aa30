import { Command } from 'commander';
import { checkEveryRule } from '../../approvals/examples.ts';
import { openPolicy, readOtherPolicy, savePolicy } from '../../approvals/file.ts';
import type { CommandModule } from '../../command-table.ts';
import { say } from '../../io.ts';

/** `approvals set FILE --base-hash H`: replaces the policy if it is still the one that was read. */
export const setCommand: CommandModule['declare'] = (io, done) =>
  new Command('set')
    .summary('replace the policy with a file')
    .description(
      'Replaces the policy with the one in FILE, if the present one still has the hash that "get" showed. Socket and token stay as they are.',
    )
    .argument('<file>', 'a policy file')
    .requiredOption('--base-hash <hash>', 'hash of the policy that FILE was made from')
    .addHelpText('after', '\nExample:\n  interlock approvals set new.json --base-hash 3f0c…')
    .action(async (file: string, options: { readonly baseHash: string }) => {
      const current = openPolicy(io);
      const { socket: _socket, ...wanted } = readOtherPolicy(file);
      await checkEveryRule(wanted, io);
      const { socket } = current.document;
      const document = socket === undefined ? wanted : { ...wanted, socket };
      const hash = await savePolicy({ ok: true, document }, { ...current, hash: options.baseHash });
      say(io.stdout, hash);
      done(0);
    });
