import { refusalOf, refuse } from '../../../shared/base/index.ts';
import { agentOfBox } from '../../../shared/engine/index.ts';
import { openHome, readConfigFile, systemClock } from '../../../shared/home/index.ts';
import { namedBoxes } from '../../boxes/boxes.ts';
import type { NamedBoxes } from '../../boxes/boxes.ts';
import { BoxError, boxExit } from '../../boxes/errors.ts';
import { boxRuntime } from '../../boxes/kept.ts';
import { boxLocks } from '../../boxes/locks.ts';
import { openBoxRecords } from '../../boxes/record.ts';
import type { BoxRecords } from '../../boxes/record.ts';
import type { BoxRuntime } from '../../boxes/runtime.ts';
import { launcherPath } from '../../hosts/sandbox/launch.ts';
import { openAgents } from '../agent-keys.ts';
import { editPolicyFile, openPolicy } from '../approvals/file.ts';
import { explain } from '../failure.ts';
import { say } from '../io.ts';
import type { Io } from '../io.ts';
import { readAnswer, requireNoAgentsCommand } from '../presence.ts';

export interface OpenBoxes {
  readonly boxes: NamedBoxes;
  readonly records: BoxRecords;
  readonly runtime: BoxRuntime;
}

/** The boxes of the home. Nothing of it needs a runner. */
export async function openBoxes(io: Io, progress: (line: string) => void): Promise<OpenBoxes> {
  const { home, principals } = await openAgents(io);
  requireNoAgentsCommand(home);
  const { uid } = home;
  const records = openBoxRecords(home.boxesDirectory, uid);
  const launcher = launcherPath(io.packageRoot);
  const clock = { ...systemClock, now: io.now };
  const locks = boxLocks(records, uid);
  const runtime = boxRuntime(records, { launcher, uid });
  const boxes = namedBoxes({
    clock,
    uid,
    paths: home,
    env: io.env,
    launcher,
    records,
    runtime,
    config: () => {
      const file = readConfigFile(home.config, { uid });
      if (file.ok) return file.config;
      throw refuse(file.problem.code, file.problem.message, file.problem.hint);
    },
    principals,
    locks,
    requireOpen: (name) => {
      if (home.stopState().mode === 'armed') return locks.check(name);
      throw refuse(
        'lockout-active',
        'Interlock is stopped, and no box starts until a person has ended that.',
        'End it first: interlock unlock, or interlock resume after a pause.',
      );
    },
    fresh: async (name) => forgetAllowed(io, agentOfBox(name)),
    secret: async (name, box) => {
      const secrets = await home.openNamedSecrets();
      const value = await secrets.get(name);
      if (value !== null) await secrets.used([name], `box ${box}`);
      return value?.toString('utf8') ?? null;
    },
    progress,
  });
  return { boxes, records, runtime };
}

const attempts = 3;

/**
 * Takes the rules out of the policy file by which "always" allows something to this agent. What it
 * denies stays, and so do rules that a person wrote.
 */
export async function forgetAllowed(io: Io, agent: string): Promise<void> {
  for (let left = attempts; ; left -= 1) {
    const file = openHome(io.env).readPolicy();
    if (!file.ok && file.missing) return;
    const open = openPolicy(io);
    const { agents = {} } = open.document;
    const rules = (Object.hasOwn(agents, agent) ? agents[agent]?.allowlist : undefined) ?? [];
    const ended = rules.filter(
      ({ source, effect }) => source === 'allow-always' && effect !== 'deny',
    );
    if (ended.length === 0) return;
    try {
      const changes = ended.map(({ id }) => ({ change: 'remove', agent, id }) as const);
      await editPolicyFile(open, changes, io, { yes: true });
      return;
    } catch (error) {
      if (left <= 1 || refusalOf(error)?.code !== 'binding-drift') throw error;
    }
  }
}

/**
 * Runs what a command of `interlock box` does, and says what went wrong with an exit status that says
 * which kind it was.
 */
export async function asBoxCommand(
  io: Io,
  done: (exitCode: number) => void,
  work: () => Promise<number>,
): Promise<void> {
  try {
    done(await work());
  } catch (error) {
    for (const line of explain(error).lines) say(io.stderr, line);
    done(error instanceof BoxError ? error.exitCode : boxExit.failed);
  }
}

/** Does the same with several boxes, one after the other; one that fails stands in no other's way. */
export async function eachBox(
  names: readonly string[],
  work: (name: string) => Promise<void>,
): Promise<{
  readonly done: readonly string[];
  readonly failed: readonly { readonly name: string; readonly error: unknown }[];
}> {
  const done: string[] = [];
  const failed: { name: string; error: unknown }[] = [];
  for (const name of names) {
    try {
      await work(name);
      done.push(name);
    } catch (error) {
      failed.push({ name, error });
    }
  }
  return { done, failed };
}

/** The name that was given; where none was, the one that a person picks at a terminal. */
export async function pickBox(
  io: Io,
  { boxes }: OpenBoxes,
  given: string | undefined,
): Promise<string> {
  if (given !== undefined) return given;
  const all = await boxes.states();
  const [only] = all;
  if (only === undefined)
    throw new BoxError(boxExit.noBox, 'There are no boxes.', 'Make one: interlock box up NAME');
  if (io.stdin.isTTY !== true || io.stdout.isTTY !== true)
    throw new BoxError(boxExit.noBox, 'No box was named.', 'Name one; see interlock box ps.');
  all.forEach(({ name, template, state }, at) =>
    say(io.stdout, `  ${String(at + 1).padStart(2)}  ${name}  ${template}  ${state}`),
  );
  const numbers = all.map((_, at) => String(at + 1));
  const chosen = await readAnswer(io, 'Which one? ');
  const found = all[numbers.indexOf(chosen)] ?? all.find(({ name }) => name === chosen);
  if (found !== undefined) return found.name;
  throw new BoxError(boxExit.noBox, 'No box was chosen.', 'Type its number or its name.');
}
