import { isBelow } from '../plan/paths.ts';
import type { Stage } from '../plan/types.ts';
import { demandOf } from '../programs/demands.ts';
import { recordOf } from '../programs/list.ts';
import { isLocalUse, toldByCode, whyForMachine, whyNotUnasked } from '../programs/unasked.ts';
import { deletesOnlyRemade } from '../risk/checks/delete.ts';
import { sandboxTakesAway } from '../risk/finding.ts';
import { absolute } from '../risk/paths.ts';
import { riskSubjects } from '../risk/subject.ts';
import type { RiskSubject } from '../risk/subject.ts';
import { baseName } from '../rules/matching.ts';
import type { MatchContext } from '../rules/matching.ts';
import { ruleSetOf } from '../rules/rule-set.ts';
import { isAboutProcessesOf, isOwnMachine, needsNoServerHere } from './loopback.ts';
import type { Nearby } from './loopback.ts';
import type { DecideInput, SandboxOffer, Verdict } from './types.ts';

/** What stands against running something in a sandbox unasked. */
export interface Need {
  /** `machine`: it would fail there. `harm`: the sandbox does not take it away. */
  readonly kind: 'machine' | 'harm';
  /** One sentence for a person. */
  readonly why: string;
}

const machine = (why: string): Need => ({ kind: 'machine', why });
const harm = (why: string): Need => ({ kind: 'harm', why });

/** What is known of servers and processes near a command; where nothing is, this machine has them. */
export function nearbyOf({ box, isServedHere = () => true, sandbox }: DecideInput): Nearby {
  if (sandbox?.hasOwnLoopback !== true)
    return { box: null, isServedHere: () => true, isOffline: false };
  return { box: box ?? null, isServedHere, isOffline: sandbox.isOffline };
}

/**
 * What stands against running it in the sandbox without asking; null where nothing does. `verdict` is
 * the one on this machine.
 */
export function needOf(input: DecideInput, verdict: Verdict): Need | null {
  const { sandbox, kind = 'exec', analysis } = input;
  if (sandbox === undefined) return machine('Nothing is known of a sandbox here.');
  if (sandbox.problem !== null || sandbox.workspace === null)
    return machine(`It cannot run in the sandbox: ${sandbox.problem ?? 'there is none.'}`);
  const [guarded] = verdict.guarded;
  if (guarded !== undefined)
    return harm(`A sandbox would not take away that it reaches ${guarded.placement.path}.`);
  if (kind === 'edit') return needOfEdit(input, { ...sandbox, workspace: sandbox.workspace });
  if (kind !== 'exec') return machine('It is not a command.');
  const stages = analysis.ok ? analysis.plan.stages : analysis.stages;
  let offer: Offer = { ...sandbox, workspace: sandbox.workspace, nearby: nearbyOf(input) };
  const all = stages.flatMap(allOf);
  const subjects = riskSubjects(analysis, input.request, input.home);
  // What one part of it commits a push in another part would not have yet.
  const several = subjects
    .map(({ name }) => name)
    .filter((name, at, names) => names.indexOf(name) < at && recordOf(name)?.handsOn === true);
  if (several.length > 0) {
    const brokered = [...offer.brokered].filter(([name]) => !several.includes(name));
    offer = { ...offer, brokered: new Map(brokered) };
  }
  return (
    first(all, needOfStage, offer) ??
    first(subjects, needOfSubject, offer) ??
    needOfFindings(verdict) ??
    needOfDocument(input.request.command ?? '', subjects) ??
    needOfMention(input, all, subjects) ??
    (analysis.ok ? null : needOfOpaque(input, { stages: all, subjects, offer }))
  );
}

type Offer = SandboxOffer & { readonly workspace: string; readonly nearby: Nearby };

function first<T>(
  list: readonly T[],
  need: (one: T, offer: Offer) => Need | null,
  offer: Offer,
): Need | null {
  for (const one of list) {
    const found = need(one, offer);
    if (found !== null) return found;
  }
  return null;
}

function allOf(stage: Stage): readonly Stage[] {
  return [stage, ...stage.carries.flatMap(allOf)];
}

/** A file of the project, and none of Git's own, which no command in the sandbox may change either. */
function needOfEdit({ analysis }: DecideInput, offer: Omit<Offer, 'nearby'>): Need | null {
  const stage = analysis.ok ? analysis.plan.stages[0] : undefined;
  if (stage?.executable.kind !== 'tool' || !offer.isWritable)
    return harm('It is not known what it changes.');
  const { target } = stage.executable;
  if (stage.guarded.length > 0) return harm('It changes what runs later or steers.');
  if (!isBelow(target, offer.workspace) || /\/\.git(?:\/|$)/i.test(target))
    return machine(`${target} lies outside the project.`);
  return null;
}

/** Of what is known of a stage, what the sandbox does not have. */
function needOfStage(stage: Stage, offer: Offer): Need | null {
  const { executable, cwd, effects, guarded, writes, reads, wrappers } = stage;
  const [use] = guarded;
  if (use !== undefined)
    return harm(`It reaches ${use.placement.path}, which ${use.placement.reason}.`);
  if (cwd !== null && !isBelow(cwd, offer.workspace) && !isGiven(cwd, offer))
    return machine(`${cwd} is not in the sandbox.`);
  if (executable.kind === 'builtin' && executable.name === 'cd')
    for (const word of stage.argv.slice(1))
      if (word.startsWith('/') && !isGiven(word, offer))
        return machine(`${word} is not in the sandbox.`);
  const [, ...args] = stage.argv;
  const isBrokered = isRunByGate({ name: executable.name, args }, offer);
  for (const { executable: one } of [{ executable }, ...wrappers]) {
    if (one.kind !== 'file' || (isBrokered && one === executable)) continue;
    for (const path of [one.path, one.realPath])
      if (!isGiven(path, offer)) return machine(`The sandbox does not have ${path}.`);
  }
  const made = new Set([...writes, ...(effects?.writes ?? [])]);
  const changed = [
    ...writes,
    ...(effects?.writes ?? []),
    ...(effects?.deletes ?? []),
    ...(effects?.into ?? []),
  ];
  for (const path of changed)
    if (path !== null && !isChangeable(path, offer))
      return machine(`It changes ${path}, which is not in the sandbox.`);
  for (const path of [...reads, ...(effects?.reads ?? [])])
    if (path !== null && !made.has(path) && !isGiven(path, offer))
      return machine(`It reads ${path}, which is not in the sandbox.`);
  return null;
}

const streams = /^\/dev\/(?:null|zero|full|u?random|tty|std(?:in|out|err)|fd\/\d+)$/;

function isGiven(path: string, { workspace, readable, writable }: Offer): boolean {
  if (
    streams.test(path) ||
    /^\/proc\/(?:self|cpuinfo|meminfo|loadavg|version|uptime)(?:\/|$)/.test(path)
  )
    return true;
  return [workspace, ...readable, ...writable].some((folder) => isBelow(path, folder));
}

function isChangeable(path: string, { workspace, writable, isWritable }: Offer): boolean {
  if (streams.test(path)) return true;
  return (
    (isWritable && isBelow(path, workspace)) || writable.some((folder) => isBelow(path, folder))
  );
}

/**
 * A call that the gate decides about as a request of its own when it comes to it. Where the sandbox
 * has a network, the program may go another way.
 */
function isRunByGate(
  { name, args }: Pick<RiskSubject, 'name' | 'args'>,
  { brokered, isOffline }: Offer,
): boolean {
  // A shim stands before the name alone: by its path the program itself would run.
  const words = isOffline && !name.includes('/') ? brokered.get(name) : undefined;
  return words !== undefined && (words.includes('*') || words.includes(args[0] ?? ''));
}

/** What the words of a program have it do that the sandbox has not, or does not take away. */
function needOfSubject(subject: RiskSubject, offer: Offer): Need | null {
  const { isOffline, workspace, nearby } = offer;
  const { name, args, reading, assignments } = subject;
  if (isRunByGate(subject, offer)) return null;
  const why = isLocalUse(name, args) ? null : whyForMachine(name);
  const staysInside = needsNoServerHere(subject, nearby);
  if (why !== null && !isAboutProcessesOf(nearby.box, subject)) return machine(`${name} ${why}.`);
  const record = recordOf(name);
  const other = whyNotUnasked(name, args);
  if (other !== null) return harm(`${name} ${other}.`);
  const isAway = record?.elsewhere !== undefined && !isLocalUse(name, args) && !staysInside;
  if (record?.sends === true || isAway)
    return machine(`${name} reaches other machines, and the sandbox has no way there.`);
  const demand = reading === null ? null : demandOf(reading);
  if (demand !== null) return harm(`It would be for a rule to say: ${demand.reason}.`);
  if (reading?.options.some(({ use }) => use.level !== undefined) === true)
    return harm(`An option of ${name} can have it run something else.`);
  for (const effect of reading?.effects ?? []) {
    if (effect.kind === 'reaches' && !staysInside)
      return machine(
        isOwnMachine(effect.address)
          ? `${name} reaches a server on this machine, which the sandbox does not.`
          : `${name} reaches other machines, which the sandbox does not.`,
      );
    if (effect.kind === 'starts' || effect.kind === 'shell' || effect.kind === 'loads')
      return harm(`An argument of ${name} names what it runs.`);
    if (effect.kind === 'sets') return harm(`${name} changes a setting that lasts.`);
    const told = effect.kind === 'code' ? needOfCode(effect.text ?? '', name) : null;
    if (told !== null) return told;
  }
  if (
    reading?.doubts.some((doubt) => doubt.executes === true || /\bloads\b/.test(doubt.why)) === true
  )
    return harm(`An argument of ${name} names what it runs.`);
  if (!deletesOnlyRemade(subject, workspace))
    return harm(`${name} deletes what no build makes again.`);
  if (!isOffline && (reading === null || record?.project !== undefined || record?.runs === 'code'))
    return harm(`The sandbox has the network of this machine, and ${name} may use it.`);
  return assignments.some(({ name: variable }) => variable === 'INTERLOCK_HOME')
    ? harm('It names the folder of Interlock.')
    : null;
}

/** What code for a program says that it does which the sandbox has not, or does not take away. */
function needOfCode(code: string, name: string): Need | null {
  const told = toldByCode(code);
  if (told === null) return null;
  return told === 'reaches'
    ? machine(`The code for ${name} reaches other machines, which the sandbox does not.`)
    : harm(`The code for ${name} starts programs, deletes or hides what it does.`);
}

/** Code that stands in the text as the input of what runs it. */
function needOfDocument(text: string, subjects: readonly RiskSubject[]): Need | null {
  if (!text.includes('<<')) return null;
  const runner = subjects.find(({ name }) => recordOf(name)?.runs === 'code');
  if (runner === undefined) return null;
  const deletes = /(?:^|[\s;&|(])rm\s/.test(text) ? 'unlink' : '';
  return needOfCode(`${text}\n${deletes}`, runner.name);
}

/** What is found grave, and stays so in the sandbox. */
function needOfFindings({ risk }: Verdict): Need | null {
  const stays = risk.findings.find(({ code, level }) => {
    // Judged by what is deleted: what a build makes again may go.
    if (code === 'recursive-delete') return false;
    const taken = sandboxTakesAway[code];
    return taken === 'no' || (taken === 'low' && level === 'high');
  });
  return stays === undefined ? null : harm(`A sandbox does not take away: ${stays.text}`);
}

/** Builtins and programs that run words they are given, or lines they read. */
const runsWords = /^(?:eval|source|\.|trap|coproc|xargs|parallel|vim?|nvim|ex|emacs)$/;

/**
 * Text that something here runs as commands: where it names a program that a rule holds back, in
 * quotes, parts or as the input of a shell, the rule cannot be held against it.
 */
function needOfMention(
  input: DecideInput,
  stages: readonly Stage[],
  subjects: readonly RiskSubject[],
): Need | null {
  const rules = ruleSetOf(input.policy.rules, input);
  const [any] = stages;
  if (!rules.holdsBack || any === undefined) return null;
  const { command, argv = [] } = input.request;
  const runners = subjects.filter(
    ({ name }) => runsWords.test(name) || recordOf(name)?.runs === 'code',
  );
  const isFed = ({ args }: RiskSubject): boolean => args.every((word) => /^-(?!.*c)/.test(word));
  const isAll = !input.analysis.ok || command?.includes('<') === true || runners.some(isFed);
  const texts =
    isAll && (runners.length > 0 || !input.analysis.ok)
      ? [command ?? argv.join(' ')]
      : runners.map(({ args }) => args.join(' '));
  const words = new Set(
    texts.flatMap((text) =>
      ['', ' '].flatMap((quote) => text.replaceAll(/["'\\]/g, quote).split(/[^\w.+@%-]+/)),
    ),
  );
  words.delete('');
  if (words.size > mostWords) return harm('It is too long to be held against the rules.');
  const context = heldContext(input);
  for (const word of words)
    if (rules.naming(startOf(any, [word]), context) !== null)
      return harm(`A rule holds back uses of ${word}, and what is run here names it.`);
  return null;
}

const mostWords = 4000;

function heldContext(input: DecideInput): MatchContext {
  return {
    kind: 'exec',
    host: 'gateway',
    now: input.now,
    hashFile: input.hashFile,
    riskLevel: () => 'high',
  };
}

/** A stage in the place of another, of a program that is known by its name alone. */
function startOf(stage: Stage, argv: readonly [string, ...string[]]): Stage {
  const executable = { kind: 'missing', name: argv[0] } as const;
  return { ...stage, argv, executable, wrappers: [], carries: [] };
}

interface Seen {
  readonly stages: readonly Stage[];
  readonly subjects: readonly RiskSubject[];
  readonly offer: Offer;
}

/** Folders of which the sandbox shows nothing, where a text that is not understood names a path in one. */
const notThere =
  /^\/(?:boot|home|media|mnt|private|root|run|srv|sys|tmp|users|var|volumes)(?:\/|$)/i;

/**
 * A text that is not understood: what can be read of it must not be what a rule holds back, and
 * must not name what is not there. What cannot be read the sandbox bounds.
 */
function needOfOpaque(input: DecideInput, { stages, subjects, offer }: Seen): Need | null {
  const { analysis } = input;
  if (!offer.isOffline) return harm('It is not understood, and the sandbox has a network.');
  if (analysis.ok) return null;
  if (analysis.reason === 'too-long' || analysis.reason === 'control-character')
    return harm('Nothing of it can be read.');
  // As if nothing were quoted: what is handed to `eval` or a trap is text as well.
  const command = (input.request.command ?? '')
    .replaceAll(/["'\\]/g, ' ')
    .replaceAll(/\b(?:trap|eval|exec|builtin|command)\s/g, '; ');
  const bare = riskSubjects(
    { ...analysis, stages: [] },
    { ...input.request, command },
    input.home,
    // A program of macOS; elsewhere it is the word of many languages for reading a file.
  ).filter(({ name }) => name !== 'open' || input.platform === 'darwin');
  const held = heldBack(input, stages, [...subjects, ...bare]);
  if (held !== null) return held;
  const need = first(bare, needOfSubject, offer);
  if (need !== null) return need;
  for (const { args, writes } of subjects)
    for (const word of [...args, ...writes]) {
      const path = pathIn(word, { cwd: input.request.cwd, home: input.home });
      if (
        path !== null &&
        notThere.test(path) &&
        !/^\/(?:var\/)?tmp(?:\/|$)/.test(path) &&
        !isGiven(path, offer)
      )
        return machine(`It names ${path}, which is not in the sandbox.`);
    }
  return null;
}

/** Where a rule that denies or asks is for a program that can be read in a text, whatever its words. */
function heldBack(
  input: DecideInput,
  stages: readonly Stage[],
  subjects: readonly RiskSubject[],
): Need | null {
  const rules = ruleSetOf(input.policy.rules, input);
  if (!rules.holdsBack) return null;
  const context = heldContext(input);
  const [any] = stages;
  const named = subjects.flatMap(({ name, args }): readonly Stage[] =>
    any === undefined || name === '' ? [] : [startOf(any, [name, ...args])],
  );
  for (const stage of [...stages, ...named]) {
    const program = baseName(stage.argv[0] ?? '');
    if (/[$`*?[]/.test(program))
      return harm('What it starts is not written out, and a rule may hold it back.');
    if (rules.naming(stage, context) !== null)
      return harm(`A rule holds back uses of ${program}, and this one cannot be told from them.`);
  }
  return stages.length === 0
    ? harm('Nothing of it can be read, and a rule may hold it back.')
    : null;
}

/** A path that leads away from the folder, or null. */
function pathIn(
  word: string,
  around: { readonly cwd: string; readonly home: string },
): string | null {
  const value = word.replace(/^--?[\w-]+=/, '').replace(/^@/, '');
  if (!/^(?:[/~]|\$HOME|\$\{HOME\})|(?:^|\/)\.\.(?:\/|$)/.test(value)) return null;
  const path = absolute(value, around);
  return path.startsWith('/') ? path : null;
}
