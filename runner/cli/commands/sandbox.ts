import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { displayPlain } from '../../../shared/base/index.ts';
import { openHome, readConfigFile } from '../../../shared/home/index.ts';
import { changesPath, lastChanges, readChanges } from '../../hosts/sandbox/changes.ts';
import { dropHistories, historiesIn } from '../../hosts/sandbox/history/slot.ts';
import { launcherPath } from '../../hosts/sandbox/launch.ts';
import { probeSandbox, unaskedProblem } from '../../hosts/sandbox/probe.ts';
import type { Capability, SandboxProbe } from '../../hosts/sandbox/probe.ts';
import type { CommandModule } from '../command-table.ts';
import { exitCodes, say, sayJson } from '../io.ts';

/** `interlock sandbox`: what this machine can do, and what commands in sandboxes have left. */
export const declare: CommandModule['declare'] = (io, done) => {
  const sandbox = new Command('sandbox').description(
    'The kernel sandbox that commands run in where exec.host is "sandbox".',
  );
  sandbox
    .command('status')
    .summary('show what holds a command in the sandbox')
    .description(
      'Launches an empty command for real and shows what holds it. Exits with 1 where there can be no sandbox.',
    )
    .option('--json', 'the findings as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  interlock sandbox status\n  interlock sandbox status --json',
    )
    .action(async (options: { readonly json?: boolean }) => {
      const { uid, config } = openHome(io.env);
      const file = readConfigFile(config, { uid });
      const image = file.ok ? file.config.sandbox.image : null;
      const probe = await probeSandbox({ launcher: launcherPath(io.packageRoot), uid, image });
      if (options.json === true) sayJson(io.stdout, statusBody(probe));
      else for (const line of statusLines(probe)) say(io.stdout, line);
      done(probe.ok ? exitCodes.ok : 1);
    });
  declareChanges(sandbox, io, done);
  declareReset(sandbox, io, done);
  return sandbox;
};

type Declared = Parameters<CommandModule['declare']>;

function declareChanges(sandbox: Command, io: Declared[0], done: Declared[1]): void {
  sandbox
    .command('changes')
    .summary('list files from the sandbox that run outside later')
    .description(
      'Lists what commands in a sandbox have written that something outside will obey or start: build files, hooks, settings of editors and agents. Each file is listed once, with its last change.',
    )
    .option('--session <name>', 'only of one session')
    .option('--json', 'as JSON, a list')
    .addHelpText(
      'after',
      '\nExamples:\n  interlock sandbox changes\n  interlock sandbox changes --session 4f1c --json',
    )
    .action((options: { readonly session?: string; readonly json?: boolean }) => {
      const { uid, ...paths } = openHome(io.env);
      const found = lastChanges(
        readChanges(changesPath(paths.sandboxLayers), uid).filter(
          ({ session }) => options.session === undefined || session === options.session,
        ),
      );
      if (options.json === true) sayJson(io.stdout, found);
      else if (found.length === 0) say(io.stdout, 'Nothing that acts later was written.');
      else
        for (const { at, agent, path, why } of found)
          say(
            io.stdout,
            displayPlain(`${new Date(at).toISOString()}  ${agent}  ${path}, which ${why}`),
          );
      done(exitCodes.ok);
    });
}

function declareReset(sandbox: Command, io: Declared[0], done: Declared[1]): void {
  sandbox
    .command('reset')
    .summary('drop what Git keeps only in the sandbox')
    .description(
      'Drops what Git keeps only in the sandbox for the repositories in a folder: settings, hooks, unfinished merges, and what could not be taken over.',
    )
    .argument('[folder]', 'this folder, where none is named')
    .addHelpText(
      'after',
      '\nExamples:\n  interlock sandbox reset\n  interlock sandbox reset ~/project',
    )
    .action((folder: string | undefined) => {
      const { uid, ...paths } = openHome(io.env);
      const place = realpathSync(resolve(io.cwd(), folder ?? '.'));
      const dropped = dropHistories(historiesIn(paths.sandboxLayers), uid, place);
      for (const path of dropped)
        say(io.stdout, displayPlain(`Dropped what was kept for ${path}.`));
      if (dropped.length === 0) say(io.stdout, 'Nothing was kept for repositories there.');
      done(exitCodes.ok);
    });
}

/** As JSON: by name what is there, and everything in words. */
function statusBody(probe: SandboxProbe) {
  const { ok, problem, rung, failed, capabilities, groups } = probe;
  const has = Object.fromEntries(capabilities.map((each) => [each.name, each.ok]));
  return {
    ok,
    problem,
    rung,
    unasked: unaskedProblem(probe),
    failed,
    ...has,
    groups: groups.ok ? groups.kind : null,
    capabilities,
  };
}

function statusLines(probe: SandboxProbe): readonly string[] {
  const verdict = probe.ok
    ? 'Commands can run in a sandbox here.'
    : `Commands cannot run in a sandbox here. ${probe.problem ?? ''}`;
  const unasked = unaskedProblem(probe);
  const auto = !probe.ok
    ? []
    : unasked === null
      ? ['With exec.host "auto" what needs no more runs in it unasked.']
      : [`With exec.host "auto" nothing runs in it unasked. ${unasked}`];
  return [verdict, ...auto, ...probe.capabilities.flatMap(capabilityLines)];
}

function capabilityLines({ ok, title, detail, advice }: Capability): readonly string[] {
  return [
    `  ${ok ? '✓' : '✗'} ${title}: ${detail}`,
    ...(advice === null ? [] : [`      ${advice}`]),
  ];
}
