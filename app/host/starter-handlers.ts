import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { refuse } from '../../shared/base/index.ts';
import type { RefusalError } from '../../shared/base/index.ts';
import { ordinaryDay, renewStarters, startersFor } from '../../shared/engine/index.ts';
import type {
  EarlierCommand,
  Engine,
  PolicyDocument,
  StarterRenewal,
} from '../../shared/engine/index.ts';
import { hashFile } from '../../shared/home/index.ts';
import type { RunnerClient } from '../../shared/ipc/index.ts';
import { projectFolder } from '../../shared/operations/index.ts';
import type { HistoryEntry } from '../../shared/wire/index.ts';
import { guideAgent } from '../bridge/types.ts';
import type { BridgeCalls } from '../bridge/types.ts';
import type { CallHandlers } from './dispatch.ts';
import type { PolicyController } from './policy-controller.ts';

interface StarterHandlersOptions {
  /** The person's own folder; absolute. */
  readonly home: string;
  readonly now: () => number;
  readonly policy: Pick<PolicyController, 'drafted' | 'change'>;
  readonly engine: Pick<Engine, 'checkRules' | 'simulate'>;
  readonly runner: Pick<RunnerClient, 'history'>;
}

/** How far back is looked for what the rules would have covered, in decisions. */
const lookBack = 200;
/** With fewer lines than this an ordinary day says more. */
const leastHistory = 12;
const mostFolders = 5;

type Wanted = Pick<BridgeCalls['starter']['args'], 'set' | 'agent' | 'folder'>;

/** The handlers of the calls about sets of rules to begin with. */
export function starterHandlers(
  options: StarterHandlersOptions,
): Pick<CallHandlers, 'starterFolders' | 'starter' | 'addStarter'> {
  const { home, now, policy, engine, runner } = options;
  const decisions = async (agent: string): Promise<readonly HistoryEntry[]> => {
    const whose = agent === '*' ? {} : { agent };
    // Without a runner there is no history to go by; all the rest can still be said.
    const page = await runner.history({ offset: 0, limit: lookBack, ...whose }).catch(() => null);
    return (page?.entries ?? []).filter((entry) => entry.agent !== guideAgent);
  };
  const renewalsOf = async (
    { set, agent, folder: written }: Wanted,
    document: PolicyDocument,
  ): Promise<{ readonly folder: string; readonly renewals: readonly StarterRenewal[] }> => {
    const folder = projectFolder(written.replace(/^~(?=\/|$)/, home), { cwd: home, home });
    const places = startersFor(set).map(({ name }) => ({ agent, set: name, folder }));
    const check = await engine.checkRules();
    return { folder, renewals: renewStarters(document, places, { check, now: now(), hashFile }) };
  };

  return {
    starterFolders: async () => ({ folders: foldersOf(await decisions('*'), home) }),
    starter: async ({ draft, ...wanted }) => {
      const document = policy.drafted(draft);
      if (document === null) throw noPolicy();
      const { folder, renewals } = await renewalsOf(wanted, document);
      const rules = renewals.flatMap(({ added, changed }) => [
        ...added,
        ...changed.map(({ after }) => after),
      ]);
      const { from, past } = pastIn(folder, await decisions(wanted.agent));
      const { nowAllowed } = await engine.simulate({ agent: wanted.agent, document }, rules, past);
      const covered = new Set(nowAllowed);
      return {
        folder,
        updates: renewals.map(({ set, added, changed, removed }) => ({
          set,
          added,
          changed,
          removed,
        })),
        covers: {
          from,
          looked: past.length,
          covered: past.filter(({ command }) => covered.has(command)).length,
          left: past.flatMap(({ command }) => (covered.has(command) ? [] : [command])),
        },
      };
    },
    addStarter: async (wanted) => {
      let count = 0;
      await policy.change(async (document) => {
        const { renewals } = await renewalsOf(wanted, document);
        count = renewals.reduce(
          (sum, { added, changed }) => sum + added.length + changed.length,
          0,
        );
        return renewals.flatMap(({ changes }) => changes);
      });
      return { rules: count };
    },
  };
}

function noPolicy(): RefusalError {
  return refuse(
    'config-invalid',
    'There is no valid policy that rules could be added to.',
    'Run "interlock init" in a terminal, or mend the file.',
  );
}

/** What was run in a project, each command once; an ordinary day where that is too little to go by. */
function pastIn(
  folder: string,
  entries: readonly HistoryEntry[],
): { readonly from: 'history' | 'sample'; readonly past: readonly EarlierCommand[] } {
  const each = new Map(
    entries
      .filter(({ cwd }) => cwd === folder || cwd.startsWith(`${folder}/`))
      .map(({ command, cwd }) => [command, { command, cwd }]),
  );
  return each.size >= leastHistory
    ? { from: 'history', past: [...each.values()] }
    : { from: 'sample', past: ordinaryDay.map((command) => ({ command, cwd: folder })) };
}

/** The projects that commands were run in lately, the most frequent first. */
function foldersOf(entries: readonly HistoryEntry[], home: string): readonly string[] {
  const counts = new Map<string, number>();
  for (const { cwd } of entries) {
    const project = projectOf(cwd, home);
    if (project !== null) counts.set(project, (counts.get(project) ?? 0) + 1);
  }
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, mostFolders)
    .map(([folder]) => folder);
}

/** The folder above with a repository in it, else the folder itself; null where that is not a project. */
function projectOf(cwd: string, home: string): string | null {
  let folder = cwd;
  for (let at = cwd; at !== dirname(at) && at !== home; at = dirname(at)) {
    if (!existsSync(join(at, '.git'))) continue;
    folder = at;
    break;
  }
  try {
    return projectFolder(folder, { cwd: home, home });
  } catch {
    return null;
  }
}
