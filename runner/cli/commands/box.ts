import { hostname, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { displayPlain } from '../../../shared/base/index.ts';
import { networks } from '../../../shared/engine/index.ts';
import type { SandboxConfig } from '../../../shared/engine/index.ts';
import { commandToType } from '../../../shared/home/index.ts';
import type { BoxState } from '../../boxes/boxes.ts';
import { BoxError, boxExit } from '../../boxes/errors.ts';
import { attachSession, attachToShell } from '../../boxes/tmux.ts';
import type { WorkspaceSource } from '../../boxes/workspace/record.ts';
import { atTerminal, showBox, withStreams } from '../box/attach.ts';
import { exits, named, progressTo } from '../box/command.ts';
import type { BoxFlags, Done, Words } from '../box/command.ts';
import { listings, runtimesCommand, templatesCommand } from '../box/look.ts';
import { gatewayCommand } from '../box/gateway.ts';
import { asBoxCommand, eachBox, openBoxes, pickBox } from '../box/open.ts';
import type { CommandModule } from '../command-table.ts';
import { explain } from '../failure.ts';
import { say, sayJson } from '../io.ts';
import type { Io } from '../io.ts';

/** `interlock box`: named sandboxes, each with a workspace and an agent in a terminal. */
export const declare: CommandModule['declare'] = (io, done) => {
  const box = new Command('box')
    .enablePositionalOptions()
    .description(
      'Named sandboxes that stay: each with its workspace, its agent in a terminal of its own, its policy and its network. They outlive this program and the runner.',
    )
    .addHelpText('after', exits);
  box.addCommand(upCommand(io, done));
  for (const command of listings(io, done)) box.addCommand(command);
  for (const command of terminals(io, done)) box.addCommand(command);
  box.addCommand(execCommand(io, done));
  for (const command of endings(io, done)) box.addCommand(command);
  box.addCommand(networkCommand(io, done));
  box.addCommand(templatesCommand(io, done));
  box.addCommand(runtimesCommand(io, done));
  box.addCommand(gatewayCommand(io, done));
  return box;
};

function upCommand(io: Io, done: Done): Command {
  return new Command('up')
    .summary('make and start a box')
    .description('Makes a box from a template and starts its agent in it.')
    .argument('<name>', '1 to 32 of a-z, 0-9 and hyphens')
    .option('--template <name>', 'what it is made of; see "interlock box templates"', 'claude')
    .option('--workspace <dir>', 'the folder that it works in; this one where none is named')
    .option('--git-worktree <repo>', 'a worktree of this repository, on the branch interlock-NAME')
    .option('--repo <repo>', 'a workspace of this repository of jj')
    .option('--clone <from>', 'a clone of this address or folder')
    .addOption(
      new Option('--network <mode>', 'another network than the template says').choices([
        ...networks,
      ]),
    )
    .option('--json', 'the box as JSON')
    .addHelpText(
      'after',
      `\nExamples:\n  interlock box up review --template isolated\n  interlock box up fix --workspace ~/src/app\n${exits}`,
    )
    .action(
      async (
        name: string,
        options: BoxFlags & {
          readonly template: string;
          readonly workspace?: string;
          readonly gitWorktree?: string;
          readonly repo?: string;
          readonly clone?: string;
          readonly network?: SandboxConfig['network'];
        },
      ) =>
        asBoxCommand(io, done, async () => {
          const { boxes } = await openBoxes(io, progressTo(io, options));
          const state = await boxes.up({
            name,
            templateName: options.template,
            workspace: workspaceOf(io, options),
            ...(options.network !== undefined && { network: options.network }),
          });
          if (options.json === true) sayJson(io.stdout, state);
          else
            say(
              io.stdout,
              displayPlain(
                `The box "${name}" runs in ${state.workspace}. Attach: interlock box attach ${name}`,
              ),
            );
          return 0;
        }),
    );
}

/** What the options say of the workspace; one of them at most. */
function workspaceOf(
  io: Io,
  {
    workspace,
    gitWorktree,
    repo,
    clone,
  }: Readonly<Partial<Record<'workspace' | 'gitWorktree' | 'repo' | 'clone', string>>>,
): string | WorkspaceSource {
  const given = [workspace, gitWorktree, repo, clone].filter((one) => one !== undefined);
  if (given.length > 1)
    throw new BoxError(
      boxExit.failed,
      'A box has one workspace.',
      'Say one of --workspace, --git-worktree, --repo and --clone.',
    );
  const at = (path: string): string => resolve(io.cwd(), path);
  if (gitWorktree !== undefined) return { kind: 'worktree', repository: at(gitWorktree) };
  if (repo !== undefined) return { kind: 'jj', repository: at(repo) };
  if (clone === undefined) return at(workspace ?? '.');
  const isAddress = /^[a-z][a-z0-9+.-]*:|^[^/]+@[^/]+:/iu.test(clone);
  return { kind: 'clone', from: isAddress ? clone : at(clone) };
}

function terminals(io: Io, done: Done): readonly Command[] {
  const attach = (command: string, about: Words, words: (state: BoxState) => readonly string[]) =>
    named(command, about, io, done, async (name, { boxes }) => showBox(io, boxes, name, words));
  const link = named(
    'ssh-cmd',
    {
      summary: 'print the ssh command that attaches from another machine',
      description: 'Prints the ssh command that attaches to a box from another machine.',
    },
    io,
    done,
    async (name, { boxes }, { json }) => {
      await boxes.state(name);
      const command = `ssh -t ${userInfo().username}@${hostname()} ${commandToType(io.env, io.packageRoot)} box attach ${name}`;
      if (json === true) sayJson(io.stdout, { command });
      else say(io.stdout, displayPlain(command));
      return 0;
    },
  );
  return [
    attach(
      'attach',
      {
        summary: 'show the windows of a box at this terminal',
        description:
          'Shows the windows of a box at this terminal. Ctrl-B d detaches and leaves them running.',
      },
      () => attachSession,
    ).alias('ssh'),
    attach(
      'shell',
      {
        summary: 'open a shell in a new window of a box',
        description: 'Opens a new window with a shell in a box, and shows it at this terminal.',
      },
      ({ workspace }) => attachToShell(workspace),
    ),
    link,
  ];
}

function execCommand(io: Io, done: Done): Command {
  return new Command('exec')
    .summary('run a program in a box')
    .description('Runs a program in a box, in its workspace, with this terminal or these pipes.')
    .argument('<name>', 'the box')
    .argument('<argv...>', 'the program and its arguments, behind --')
    .passThroughOptions()
    .addHelpText('after', `\nExamples:\n  interlock box exec fix -- npm test\n${exits}`)
    .action(async (name: string, argv: readonly string[]) =>
      asBoxCommand(io, done, async () => {
        const { boxes } = await openBoxes(io, () => undefined);
        const words = argv[0] === '--' ? argv.slice(1) : argv;
        if (io.stdin.isTTY === true && io.stdout.isTTY === true)
          return atTerminal(io, (terminal) => boxes.exec(name, { argv: words, terminal }));
        return withStreams(io, boxes.exec(name, { argv: words, takesInput: true }));
      }),
    );
}

function endings(io: Io, done: Done): readonly Command[] {
  const say1 = (options: BoxFlags, state: BoxState, words: string): number => {
    if (options.json === true) sayJson(io.stdout, state);
    else say(io.stdout, words);
    return 0;
  };
  const start = named(
    'start',
    {
      summary: 'start a box that is stopped',
      description: 'Starts a box that is stopped, with the settings it was made with.',
    },
    io,
    done,
    async (name, { boxes }, options) =>
      say1(options, await boxes.start(name), `The box "${name}" runs.`),
  );
  const stop = named(
    'stop',
    {
      summary: 'stop a box and keep its workspace',
      description: 'Ends everything in a box, and keeps its workspace and its name.',
    },
    io,
    done,
    async (name, { boxes }, options) => {
      sayNotes(io, await boxes.stop(name));
      return say1(options, await boxes.state(name), `The box "${name}" is stopped.`);
    },
  );
  const reset = named(
    'reset',
    {
      summary: 'give a box a fresh root and keep its workspace',
      description:
        'Starts a box anew, as its template is now, on the same workspace. What was in its /tmp and its home is lost.',
    },
    io,
    done,
    async (name, { boxes }, options) => {
      sayNotes(io, await boxes.reset(name));
      return say1(options, await boxes.state(name), `The box "${name}" runs afresh.`);
    },
  );
  return [start, stop, reset, downCommand(io, done), gcCommand(io, done)];
}

function downCommand(io: Io, done: Done): Command {
  return new Command('down')
    .summary('end a box and forget it')
    .description(
      'Ends a box and forgets it. A folder stays as it is. A worktree, jj workspace or clone that was made for the box is removed, unless it holds work that exists nowhere else.',
    )
    .argument('[name]', 'the box; without it, a terminal shows a list to pick from')
    .option('--all', 'every box')
    .option('--keep-branch', 'keeps the branch of a worktree, merged or not')
    .option('--discard', 'throws work away that is nowhere else')
    .option('--json', 'as JSON')
    .action(async (given: string | undefined, options: BoxFlags) =>
      asBoxCommand(io, done, async () => {
        if (given !== undefined && options.all === true)
          throw new BoxError(
            boxExit.failed,
            'Name one box, or say --all.',
            'See interlock box ps.',
          );
        const open = await openBoxes(io, progressTo(io, options));
        const names =
          options.all === true ? open.records.names() : [await pickBox(io, open, given)];
        const { keepBranch = false, discard = false } = options;
        const { done: gone, failed } = await eachBox(names, async (name) => {
          sayNotes(io, await open.boxes.down(name, { keepBranch, discard }));
          if (options.json !== true) say(io.stdout, `The box "${name}" is gone.`);
        });
        if (options.all !== true) for (const { error } of failed) throw error;
        const told = failed.map(({ name, error }) => ({ name, lines: explain(error).lines }));
        for (const { name, lines } of told)
          for (const line of lines) say(io.stderr, `${name}: ${line.trim()}`);
        if (options.json === true) sayJson(io.stdout, { down: gone, failed: told });
        return failed.length > 0 ? boxExit.failed : 0;
      }),
    );
}

function gcCommand(io: Io, done: Done): Command {
  return new Command('gc')
    .summary('clean up what an interrupted command left behind')
    .description(
      'Compares the records of boxes with what is really there, and cleans up what an interrupted command left behind.',
    )
    .option('--json', 'what was done, as JSON')
    .action(async (options: BoxFlags) =>
      asBoxCommand(io, done, async () => {
        const { boxes } = await openBoxes(io, () => undefined);
        const did = await boxes.gc();
        if (options.json === true) sayJson(io.stdout, { done: did });
        else if (did.length === 0) say(io.stdout, 'All is in order.');
        else for (const line of did) say(io.stdout, displayPlain(line));
        return 0;
      }),
    );
}

function sayNotes(io: Io, notes: readonly string[]): void {
  for (const note of notes) say(io.stderr, displayPlain(`interlock: ${note}`));
}

function networkCommand(io: Io, done: Done): Command {
  return new Command('network')
    .summary('change the network of a box')
    .description(
      'Changes the network of a box: between "restricted" and "none" also while it runs, to and from "full" only while it is stopped.',
    )
    .argument('<name>', 'the box')
    .argument('<mode>', `one of ${networks.join(', ')}`)
    .option('--json', 'the box as JSON')
    .action(async (name: string, mode: string, options: BoxFlags) =>
      asBoxCommand(io, done, async () => {
        const wanted = networks.find((each) => each === mode);
        if (wanted === undefined)
          throw new BoxError(
            boxExit.failed,
            `There is no network "${mode}".`,
            `One of ${networks.join(', ')}.`,
          );
        const { boxes } = await openBoxes(io, () => undefined);
        const state = await boxes.network(name, wanted);
        if (options.json === true) sayJson(io.stdout, state);
        else say(io.stdout, `The network of "${name}" is ${wanted}.`);
        return 0;
      }),
    );
}
