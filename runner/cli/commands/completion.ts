import { Argument, Command } from 'commander';
import { versionOf } from '../command-line.ts';
import type { CommandModule } from '../command-table.ts';
import { completionScript, completionShells } from '../completion.ts';
import type { CompletionShell } from '../completion.ts';
import { manPage } from '../man-page.ts';

/** `interlock completion SHELL`: what a shell or `man` is to know of this command line. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('completion')
    .description(
      'Prints what completes this command line in a shell, or its manual page. Both are made from the commands themselves.',
    )
    .addArgument(
      new Argument('<what>', 'a shell, or "man" for the manual page').choices([
        ...completionShells,
        'man',
      ]),
    )
    .addHelpText(
      'after',
      `
Where it goes:
  interlock completion bash > ~/.local/share/bash-completion/completions/interlock
  interlock completion zsh > ~/.zfunc/_interlock     with fpath+=(~/.zfunc) before compinit
  interlock completion fish > ~/.config/fish/completions/interlock.fish
  interlock completion man > ~/.local/share/man/man1/interlock.1

An installation by npm brings the manual page with it.`,
    )
    .action(async (what: CompletionShell | 'man') => {
      const { commandTree } = await import('../program.ts');
      const tree = await commandTree(io);
      io.stdout.write(
        what === 'man' ? manPage(tree, versionOf(io.packageRoot)) : completionScript(what, tree),
      );
      done(0);
    });
