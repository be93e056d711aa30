import { Argument, Command } from 'commander';
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { displayPlain } from '../../../shared/base/index.ts';
import {
  describeRule,
  renewStarters,
  starterGroups,
  starterSets,
  startersFor,
} from '../../../shared/engine/index.ts';
import type { Rule, StarterPlace, StarterRenewal } from '../../../shared/engine/index.ts';
import { hashFile } from '../../../shared/home/index.ts';
import { projectFolder as realProjectFolder } from '../../../shared/operations/index.ts';
import { engineOf } from '../check/bench.ts';
import type { CommandModule } from '../command-table.ts';
import { CliError } from '../failure.ts';
import { exitCodes, say, sayJson } from '../io.ts';
import type { Io } from '../io.ts';
import { confirm } from '../presence.ts';
import { editPolicyFile, openPolicy } from './file.ts';
import type { OpenPolicy } from './file.ts';

/** The names of all sets, for options that take one. */
export const starterNames: readonly string[] = starterSets.map(({ name }) => name);

/** What `--starter` says, and where its rules are to hold. */
interface StarterChoice {
  readonly starter: string;
  readonly agent: string;
  /** As typed; relative to the current folder. */
  readonly folder: string | undefined;
}

/** The real path of a folder for a starter. Throws for one that would be no bound. */
export function projectFolder(written: string | undefined, io: Io): string {
  const home = io.env['HOME'] ?? homedir();
  return realProjectFolder(written ?? '.', { cwd: io.cwd(), home });
}

/** Adds a set, and those that come with it, to a policy; hands back what was done, line by line. */
export async function addStarter(
  { starter, agent, folder: written }: StarterChoice,
  io: Io,
): Promise<readonly string[]> {
  const folder = projectFolder(written, io);
  const policy = openPolicy(io);
  const renewals = await renewalsOf(
    policy,
    startersFor(starter).map(({ name }) => ({ agent, set: name, folder })),
    io,
  );
  const changes = renewals.flatMap((each) => each.changes);
  if (changes.length > 0) await editPolicyFile(policy, changes, io);
  return renewals.map(({ set, added, changed, removed }) => {
    const count = added.length + changed.length + removed.length;
    const done = count === 0 ? 'stands there already' : `${String(added.length)} rules`;
    return displayPlain(`${titleOf(set)} (${set}), for ${nameOf(agent)} in ${folder}: ${done}`);
  });
}

function titleOf(name: string): string {
  return starterSets.find((set) => set.name === name)?.title ?? name;
}

function nameOf(agent: string): string {
  return agent === '*' ? 'every agent' : agent;
}

async function renewalsOf(
  { document }: OpenPolicy,
  wanted: readonly StarterPlace[],
  io: Io,
): Promise<readonly StarterRenewal[]> {
  const check = await engineOf({}, io).checkRules();
  return renewStarters(document, wanted, { check, now: io.now(), hashFile });
}

/** One line a rule: what comes, what goes, and both sides of what becomes another. */
function diffLines({
  agent,
  set,
  folder,
  added,
  changed,
  removed,
}: StarterRenewal): readonly string[] {
  return [
    `${titleOf(set)} (${set}), for ${nameOf(agent)} in ${folder}:`,
    ...removed.map((rule) => `  - ${lineOf(rule)}`),
    ...changed.flatMap(({ before, after }) => [`  - ${lineOf(before)}`, `  + ${lineOf(after)}`]),
    ...added.map((rule) => `  + ${lineOf(rule)}`),
  ].map(displayPlain);
}

function lineOf(rule: Rule): string {
  return `${rule.effect ?? 'allow'} ${describeRule(rule)}   [${rule.source ?? ''}] ${rule.note ?? ''}`;
}

const agentFlag = ['--agent <name>', 'for this agent, or "*" for all', '*'] as const;
const folderArgument = ['[folder]', 'the project; the current folder when absent'] as const;

function setArgument(): Argument {
  return new Argument('<set>', 'which set of rules').choices([...starterNames]);
}

const addCommand: CommandModule['declare'] = (io, done) =>
  new Command('add')
    .summary('add a set of rules for a project')
    .description(
      'Adds the rules of a set, bound to one project. What is there of it is brought up to date.',
    )
    .addArgument(setArgument())
    .argument(...folderArgument)
    .option(...agentFlag)
    .addHelpText(
      'after',
      '\nExample:\n  interlock approvals starter add look-around ~/src/app --agent claude',
    )
    .action(async (starter: string, folder: string | undefined, { agent }: { agent: string }) => {
      for (const line of await addStarter({ starter, agent, folder }, io)) say(io.stdout, line);
      done(0);
    });

const listCommand: CommandModule['declare'] = (io, done) =>
  new Command('list')
    .summary('show the sets there are, and which are in the policy')
    .description(
      'Shows the sets there are with what they say, and which of them are in the policy.',
    )
    .option('--json', '{"sets", "present"} as JSON')
    .action((options: { readonly json?: boolean }) => {
      const present = starterGroups(openPolicy(io).document).map(({ rules, ...group }) => ({
        ...group,
        rules: rules.length,
        uses: rules.reduce((sum, { uses = 0 }) => sum + uses, 0),
      }));
      if (options.json === true) sayJson(io.stdout, { sets: starterSets, present });
      else
        for (const line of [
          ...starterSets.map(
            ({ name, version, title, says, rules }) =>
              `${name}  version ${String(version)}, ${String(rules.length)} rules  ${title}: ${says}`,
          ),
          ...present.map(
            ({ set, version, agent, folder, rules, uses }) =>
              `  in the policy: ${set} version ${String(version)}, for ${nameOf(agent)} in ${folder ?? 'a folder that no rule names any more'}, ${String(rules)} rules, used ${String(uses)} times`,
          ),
        ])
          say(io.stdout, displayPlain(line));
      done(0);
    });

interface UpdateOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

const updateCommand: CommandModule['declare'] = (io, done) =>
  new Command('update')
    .summary('show and accept what a newer version of a set changes')
    .description(
      'Shows what this version of Interlock would change in the sets of the policy, rule by rule, and changes it when you accept. Rules that you changed or removed by hand are among them.',
    )
    .option('--dry-run', 'show it, and change nothing')
    .option('--yes', 'accept what is shown')
    .action(async (options: UpdateOptions) => {
      const policy = openPolicy(io);
      const known = starterGroups(policy.document).flatMap(({ agent, set, folder }) =>
        folder === null ? [] : [{ agent, set, folder }],
      );
      const renewals = (await renewalsOf(policy, known, io)).filter(
        ({ changes }) => changes.length > 0,
      );
      for (const line of renewals.flatMap(diffLines)) say(io.stdout, line);
      if (renewals.length === 0) say(io.stdout, 'Every set in the policy is up to date.');
      if (renewals.length === 0 || options.dryRun === true) {
        done(0);
        return;
      }
      const isMeant =
        options.yes === true ||
        (io.stdin.isTTY === true && (await confirm(io, 'Change this? [y/N] ', ['y', 'yes'])));
      if (!isMeant) {
        say(io.stdout, 'Nothing was changed. Accept it with --yes.');
        done(exitCodes.refused);
        return;
      }
      await editPolicyFile(
        policy,
        renewals.flatMap(({ changes }) => changes),
        io,
      );
      say(io.stdout, 'Changed.');
      done(0);
    });

const removeCommand: CommandModule['declare'] = (io, done) =>
  new Command('rm')
    .summary('take a set out of the policy')
    .description(
      'Takes all rules of a set out, for every project and agent unless one is named. "add" puts them back.',
    )
    .addArgument(setArgument())
    .argument('[folder]', 'only for this project')
    .option('--agent <name>', 'only for this agent, or "*" for the rules of all')
    .action(
      async (name: string, written: string | undefined, options: { readonly agent?: string }) => {
        const policy = openPolicy(io);
        const folder = written === undefined ? null : resolve(io.cwd(), written);
        const gone = starterGroups(policy.document).filter(
          (group) =>
            group.set === name &&
            (folder === null || group.folder === folder || group.folder === realOf(folder)) &&
            (options.agent === undefined || group.agent === options.agent),
        );
        const changes = gone.flatMap(({ agent, rules }) =>
          rules.map(({ id }) => ({ change: 'remove', agent, id }) as const),
        );
        if (changes.length === 0)
          throw new CliError(
            `The policy holds no rules of ${name}${folder === null ? '' : ` for ${folder}`}.`,
            'Say "interlock approvals starter list" to see what it holds.',
          );
        await editPolicyFile(policy, changes, io);
        say(io.stdout, `Removed ${String(changes.length)} rules of ${name}.`);
        done(0);
      },
    );

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** `approvals starter`: sets of rules to begin with. */
export const starterCommand: CommandModule['declare'] = (io, done) => {
  const command = new Command('starter')
    .summary('manage sets of rules to begin with')
    .description(
      'Sets of rules to begin with, each bound to the folder of a project. None of them covers secrets, files that steer, or Interlock itself.',
    );
  for (const declareChild of [addCommand, listCommand, updateCommand, removeCommand])
    command.addCommand(declareChild(io, done));
  return command;
};
