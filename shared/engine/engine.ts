import type { Proposal } from './ask.ts';
import type { Config } from './config.ts';
import { decide, fallBack } from './decide/decide.ts';
import type { Fallback } from './decide/decide.ts';
import { effectOf, explain } from './decide/explain.ts';
import type { Effect, Explanation } from './decide/explain.ts';
import type { DecideInput, Verdict, BrokeredCalls } from './decide/types.ts';
import { holdOf, onlyLooks } from './hold.ts';
import type { Hold } from './hold.ts';
import type { GrammarParser } from './parse/grammar.ts';
import { createAnalyser } from './plan/analyse.ts';
import type { Analyser } from './plan/analyse.ts';
import { remembering } from './plan/remembered.ts';
import { snapshotOf } from './plan/snapshot.ts';
import type { Analysis, CommandRequest, Plan, Surroundings } from './plan/types.ts';
import { carriesExamples, editPolicy } from './policy/edit.ts';
import type { EditOptions, Edited, ExampleCheck, PolicyChange } from './policy/edit.ts';
import { boundProblem, managedBounds } from './managed.ts';
import { policyFor, resolveModes } from './policy/resolve.ts';
import type { ForWhom, SaidModes } from './policy/resolve.ts';
import type { EffectivePolicy, PolicyDocument, Rule } from './policy/types.ts';
import { heldByProjects, projectsOf } from './projects.ts';
import { propose } from './proposals/propose.ts';
import type { PastCommand } from './proposals/propose.ts';
import { boundModes, configuredHost, resolveRoute, tightest } from './routing.ts';
import type { Routed, RouteQuestion } from './routing.ts';
import { sandboxOffer } from './sandbox-offer.ts';
import { failedExamples } from './rules/examples.ts';
import { analyseTool } from './tools/analyse.ts';
import type { ToolCall } from './tools/types.ts';
import { barredBy } from './trust/levels.ts';
import type { SandboxOverrides } from './trust/overrides.ts';
import type { TrustLevel } from './trust/levels.ts';
import { editsInWorkspace } from './trust/scope.ts';

/** The machine as the engine sees it: all that it may look at, and all that it may ask for. */
export interface Machine extends Omit<Surroundings, 'workspaces' | 'known'> {
  /** Interlock's own folder and other places that only this machine can tell, as they are now. */
  readonly known: () => NonNullable<Surroundings['known']>;
  /** The shell grammar, loaded when it is first needed. Rejects while it cannot be loaded. */
  readonly grammar: () => Promise<GrammarParser>;
  /** sha256 (hex) of a regular file's content, or null when it cannot be read or is too large. */
  readonly hashFile: (path: string) => string | null;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Why nothing can run in a sandbox here, as a sentence; null where it can. Absent: it can. */
  readonly sandboxProblem?: () => string | null;
  /** Calls of tools that the gate runs itself, as they are now. Absent: none. */
  readonly brokered?: () => BrokeredCalls;
  /** Whether something listens on a TCP port of this machine's loopback. Absent: not known. */
  readonly isServedHere?: (port: number) => boolean;
}

/** What of `config.json` a decision depends on. */
export type EngineConfig = Pick<
  Config,
  'exec' | 'agents' | 'approvals' | 'sandbox' | 'managed' | 'projects'
>;

/** What a verdict is about; with the machine it is all that the verdict depends on. */
export type Situation = Pick<
  DecideInput,
  'policy' | 'analysis' | 'request' | 'kind' | 'host' | 'wanted' | 'unkept' | 'box'
> & {
  /** How far whoever asks is trusted; absent: as the owner. */
  readonly level?: TrustLevel;
  /** What the sandbox is for whoever asks beside what it is for the agent; absent: nothing. */
  readonly overrides?: SandboxOverrides;
};

/** A question in full: who wants what, and under which policy. */
export interface Question extends ForWhom {
  /** Null where no policy is in force: everything is denied. */
  readonly document: PolicyDocument | null;
  readonly request: CommandRequest;
  /** Where it is about the use of a tool; `request` then only names the folder. */
  readonly tool?: ToolCall;
  /** Absent: the host that `config.json` names for the agent. */
  readonly host?: string | undefined;
  readonly level?: TrustLevel;
}

/** Where what is asked for starts, absolute; absent: no project bounds it. */
export interface InFolder {
  readonly cwd?: string | undefined;
}

/** A command that was asked for before. */
export interface EarlierCommand {
  readonly command: string;
  readonly cwd: string;
}

/** One look at the machine: each question about a file is asked once while it lasts. */
export type Look = Surroundings;

/** Which layer decided each value. */
export interface Origins {
  readonly routed: Routed;
  readonly modes: SaidModes;
}

/**
 * The one way to find out what a command is and what the policy says about it. The gate,
 * `interlock check`, the editor's tester and simulator, imports and every edit of the policy use
 * it, so two of them cannot disagree.
 */
export interface Engine {
  /** Where a request runs, and who said so; who is trusted less only in the sandbox. */
  readonly route: (who: RouteQuestion & InFolder) => Routed;
  /** Where, and in which modes, a request is decided, with the place that said each. */
  readonly origins: (
    document: PolicyDocument | null,
    who: ForWhom & RouteQuestion & InFolder,
  ) => Origins;
  /** What holds for one request of one agent. */
  readonly policyFor: (document: PolicyDocument | null, who: ForWhom & InFolder) => EffectivePolicy;
  /** What a request means on this machine now. Rejects where the grammar cannot be loaded. */
  readonly analyse: (request: CommandRequest, tool?: ToolCall) => Promise<Analysis>;
  /** What questions that are asked in one breath may share, and none beyond them. Throws as the configuration does. */
  readonly look: () => Look;
  /** Routing, policy and analysis of a question in one go; its folder by its real path. */
  readonly situation: (question: Question, look?: () => Look) => Promise<Situation>;
  /** What policy alone says, before anybody is asked. */
  readonly decide: (situation: Situation) => Verdict;
  /**
   * What the kernel can hold a plan to; null where it may do more than its records say. The machine
   * is looked at anew, or taken as another analysis of the same command has just seen it.
   */
  readonly hold: (plan: Plan, seen?: Analysis) => Hold | null;
  /** Whether a plan is known to change nothing and to reach no other machine; the machine as above. */
  readonly onlyLooks: (plan: Plan, seen?: Analysis) => boolean;
  /** What `askFallback` makes of an ask that nobody can answer. */
  readonly fallBack: (verdict: Verdict) => Fallback;
  /**
   * Ways to remember a "yes" to this verdict, from narrow to wide. `past` is called only where there
   * are any; the proposals then name which of those commands they would have covered.
   */
  readonly propose: (
    situation: Situation,
    verdict: Verdict,
    past?: () => readonly EarlierCommand[],
  ) => Promise<readonly Proposal[]>;
  /** Which rule decides, what happens when nobody can be asked, and what to add. */
  readonly explain: (
    situation: Situation,
    past?: readonly EarlierCommand[],
  ) => Promise<Explanation>;
  /** What further rules would have done to past commands of an agent. */
  readonly simulate: (
    question: Pick<Question, 'agent' | 'document'>,
    rules: readonly Omit<Rule, 'id'>[],
    past: readonly EarlierCommand[],
  ) => Promise<Effect>;
  /** Tries rules against the examples that they carry. The grammar is loaded before this resolves. */
  readonly checkRules: () => Promise<ExampleCheck>;
  /** The policy after some changes, or why they are not made: the one set of checks on every edit. */
  readonly edit: (
    document: PolicyDocument,
    changes: readonly PolicyChange[],
    options?: Pick<EditOptions, 'accepted'>,
  ) => Promise<Edited>;
}

/** What the engine sees of a machine, and how it understands a request by it. */
function sightOf(machine: Machine, config: () => EngineConfig) {
  const { files, platform, home } = machine;
  const load = analyserOf(machine);
  const real = (path: string, view = files): string => view.realPath(path) ?? path;
  const look = (): Look => {
    const { workspaces, trustedDirectories } = config().exec;
    const seen = snapshotOf(files);
    return {
      files: seen,
      platform,
      uid: machine.uid,
      path: machine.path,
      trustedDirectories: trustedDirectories ?? machine.trustedDirectories,
      managedDirectories: machine.managedDirectories ?? [],
      home,
      workspaces: workspaces.map((path) => real(path, seen)),
      variables: machine.variables,
      shell: machine.shell,
      known: machine.known(),
    };
  };
  /** Made before anything is looked at: what was seen is judged at once. */
  const judgeOf = async (
    tool?: ToolCall,
  ): Promise<(request: CommandRequest, surroundings: Surroundings) => Analysis> => {
    if (tool !== undefined)
      return ({ cwd }, surroundings) => analyseTool(tool, { ...surroundings, cwd });
    const analyser = await load();
    return (request, surroundings) => analyser.analyse(request, surroundings);
  };
  return { real, look, judgeOf };
}

type Sight = ReturnType<typeof sightOf>;

/** All that verdicts depend on. */
function inputsOn(machine: Machine, config: () => EngineConfig, { real, look, judgeOf }: Sight) {
  const { platform, home, hashFile } = machine;
  const barred = ({ level = 'owner', ...at }: Situation): string | null =>
    barredBy(level, {
      kind: at.kind ?? 'exec',
      host: at.host,
      isInWorkspace: () => editsInWorkspace(at.analysis, at.request.cwd, look()),
    });
  const inputOf = (situation: Situation): DecideInput => ({
    ...situation,
    policy: heldByProjects(situation, config().projects, machine.files),
    ...(situation.host === 'auto' && {
      sandbox: sandboxOffer(situation.request.cwd, {
        config: config(),
        agent: situation.policy.agent,
        overrides: situation.overrides,
        surroundings: look(),
        problem: machine.sandboxProblem?.() ?? null,
        brokered: machine.brokered?.() ?? new Map(),
      }),
    }),
    barred: barred(situation),
    now: machine.now(),
    platform,
    home,
    hashFile,
    ...(machine.isServedHere !== undefined && { isServedHere: machine.isServedHere }),
  });

  /** As they would be now. The same command in the same folder is looked at once. */
  const inputsOf = async (
    { policy: inForce, host }: Pick<Situation, 'policy' | 'host'>,
    past: readonly EarlierCommand[],
  ): Promise<readonly PastCommand[]> => {
    const each = new Map(past.map((earlier) => [`${earlier.cwd}\0${earlier.command}`, earlier]));
    if (each.size === 0) return [];
    const judge = await judgeOf();
    const surroundings = look();
    return [...each.values()].map(({ command, cwd }) => {
      const request = { command, cwd: real(cwd) };
      const analysis = judge(request, surroundings);
      return { command, input: inputOf({ policy: inForce, analysis, request, host }) };
    });
  };
  return { inputOf, inputsOf };
}

/** What the settings say of a request by itself; of the machine only whose project its folder is. */
function settingsOn(machine: Machine, all: () => EngineConfig) {
  const config = (cwd?: string): EngineConfig => {
    const now = all();
    const found = projectsOf(now.projects, cwd === undefined ? [] : [cwd], machine.files);
    return found.length === 0 ? now : { ...now, managed: [...(now.managed ?? []), ...found] };
  };
  const route: Engine['route'] = ({ cwd, ...who }) => resolveRoute(config(cwd), who);
  const hostOf = (agent: string, level?: TrustLevel): string =>
    configuredHost(config(), agent, level).value;
  const policy: Engine['policyFor'] = (document, { cwd, ...who }) => {
    const here = config(cwd);
    const { security, ask } = boundModes(here, who);
    const names = [
      who.agent,
      ...(who.claimed === null || who.claimed === undefined ? [] : [who.claimed]),
    ];
    const { rules } = managedBounds(here.managed, names);
    const granted = rules.length === 0 ? who.granted : [...(who.granted ?? []), ...rules];
    const modes = { security: tightest(security), ask: tightest(ask) };
    const bound = { ...who, ...modes, ...(granted !== undefined && { granted }) };
    const { askTimeoutMs } = here.approvals;
    const held = policyFor(document, bound, askTimeoutMs);
    if (held.ask === 'off' || (here.managed ?? []).length === 0) return held;
    // What is denied without the bounds is no question because of them.
    const free = { ...here, managed: [] };
    const asks = tightest(boundModes(free, who).ask);
    return policyFor(document, { ...who, ask: asks }, askTimeoutMs).ask === 'off'
      ? { ...held, deniesMisses: true }
      : held;
  };
  const origins: Engine['origins'] = (document, who) => ({
    routed: route(who),
    modes: resolveModes(document, who.agent, {
      ...boundModes(config(who.cwd), who),
      askTimeoutMs: config().approvals.askTimeoutMs,
      raised: who.override?.raised,
    }),
  });
  return { route, hostOf, policy, origins };
}

/** The engine on a machine. `config` is asked anew for each question, and may throw a refusal. */
export function createEngine(machine: Machine, config: () => EngineConfig): Engine {
  const { platform, home, hashFile } = machine;
  const sight = sightOf(machine, config);
  const { real, look: around, judgeOf } = sight;
  const { inputOf, inputsOf } = inputsOn(machine, config, sight);
  /** What each analysis saw. */
  const looks = new WeakMap<Analysis, Look>();
  const { route, hostOf, policy, origins } = settingsOn(machine, config);
  const situation: Engine['situation'] = async (
    { document, request, tool, host, level = 'owner', ...who },
    look = around,
  ) => {
    const judge = await judgeOf(tool);
    const surroundings = look();
    const here = { ...request, cwd: real(request.cwd, surroundings.files) };
    return {
      policy: policy(document, { ...who, cwd: here.cwd }),
      analysis: judge(here, surroundings),
      request: here,
      kind: tool?.kind ?? 'exec',
      host: host ?? hostOf(who.agent, level),
      level,
    };
  };
  const checkRules: Engine['checkRules'] = async () => {
    const judge = await judgeOf();
    const surroundings = around();
    const context = { home, platform, hashFile, now: machine.now() };
    return (rule) =>
      failedExamples(rule, {
        ...context,
        analyse: (command) => judge({ command, cwd: home }, surroundings),
      });
  };

  const lookOf = (seen: Analysis | undefined) =>
    (seen === undefined ? undefined : looks.get(seen)) ?? around();
  return {
    route,
    origins,
    policyFor: policy,
    analyse: async (request, tool) => {
      const judge = await judgeOf(tool);
      const look = around();
      const analysis = judge(request, look);
      looks.set(analysis, look);
      return analysis;
    },
    look: around,
    situation,
    decide: (at) => decide(inputOf(at)),
    hold: (plan, seen) => holdOf(plan, lookOf(seen)),
    onlyLooks: (plan, seen) => onlyLooks(plan, lookOf(seen)),
    fallBack,
    propose: async (at, verdict, past = () => []) => {
      const input = inputOf(at);
      const proposed = propose(input, verdict);
      const seen = proposed.length === 0 ? [] : await inputsOf(at, past());
      return seen.length === 0 ? proposed : propose(input, verdict, seen);
    },
    explain: async (at, past = []) => explain(inputOf(at), await inputsOf(at, past)),
    simulate: async ({ agent, document }, rules, past) => {
      const at = { policy: policy(document, { agent }), host: hostOf(agent) };
      return effectOf(rules, await inputsOf(at, past));
    },
    checkRules,
    edit: async (document, changes, options = {}) => {
      const edited = editPolicy(document, changes, {
        ...options,
        check: carriesExamples(changes) ? await checkRules() : () => [],
      });
      const problem = edited.ok ? boundProblem(config().managed, document, edited.document) : null;
      return problem === null ? edited : { ok: false, problem };
    },
  };
}

/** One analyser for all questions; a grammar that could not be loaded is tried again. */
function analyserOf({ grammar }: Machine): () => Promise<Analyser> {
  let loading: Promise<Analyser> | undefined;
  return () => {
    loading ??= grammar().then((parser) => remembering(createAnalyser(parser)));
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };
}
