import { create } from 'zustand';
import type { Refusal } from '../../../shared/base/index.ts';
import { patchBetween } from '../../../shared/engine/index.ts';
import type {
  PolicyDocument,
  PolicyEdit,
  PolicySave,
  Rule,
  StarterUpdate,
} from '../../../shared/engine/index.ts';
import type { BridgeResult, PolicyView } from '../../bridge/types.ts';
import { call, readHostNow, useApp } from '../state/app.ts';
import { holdPolicy, readPolicy, turnTo, usePolicy, useSavedPolicy } from '../state/policy.ts';
import { dropChange, showChange } from '../state/toast.ts';
import { savingSteps } from './saving-steps.ts';
import { changesBetween, mergePolicies, stillOpen, withPart, withRules } from './merge.ts';
import type { Conflict, Part, PartValue } from './merge.ts';

/** An edit that is not saved yet, and the file that it was made from. */
export interface Draft {
  readonly base: PolicyDocument;
  readonly baseHash: string;
  readonly document: PolicyDocument;
  /** For undo, the oldest first. */
  readonly past: readonly PolicyDocument[];
}

/** The rule in the form; `id` is null for a new one. */
export interface Editing {
  readonly id: string | null;
  readonly rule: Omit<Rule, 'id'> | null;
}

/** A command as the history has it. */
export interface PastCommand {
  readonly agent: string;
  readonly command: string;
  readonly cwd: string;
}

interface DraftModel {
  readonly draft: Draft | null;
  readonly agent: string;
  readonly editing: Editing | null;
  /** A past command of which a rule is to be made. */
  readonly suggesting: PastCommand | null;
  readonly conflicts: readonly Conflict[];
  /** The person postponed the choice: it comes back with the next save. */
  readonly postponed: boolean;
  readonly notice: 'saved' | 'merged' | null;
  readonly saving: boolean;
  /** Why the last save was not made: a sentence for each rule that can hardly be meant. */
  readonly doubts: readonly string[];
}

const untouched: DraftModel = {
  draft: null,
  agent: '*',
  editing: null,
  suggesting: null,
  conflicts: [],
  postponed: false,
  notice: null,
  saving: false,
  doubts: [],
};

/** What is edited now: the policy of one machine. */
export const useDraft = create<DraftModel>()(() => untouched);

/** What was left unsaved of the policies of other machines. */
const left = new Map<string | null, DraftModel>();
let wanted: string | null = null;

/** Turns the editor to the policy of a node, or of this machine with null; what is not saved stays there. */
export function editPolicyOf(machine: string | null): void {
  wanted = machine;
  turn();
}

function turn(): void {
  const { machine } = usePolicy.getState();
  // What a save does when it is done is meant for the machine that it was made for.
  if (machine === wanted || useDraft.getState().saving) return;
  dropChange('edited');
  left.set(machine, useDraft.getState());
  turnTo(wanted);
  useDraft.setState(left.get(wanted) ?? untouched);
}

useDraft.subscribe(({ saving }, { saving: before }) => {
  if (before && !saving) turn();
});

/** The document as the editor shows it: with the edit, or as the file is. */
export function useDocument(): PolicyDocument | null {
  const draft = useDraft((model) => model.draft);
  const saved = useSavedPolicy();
  return draft?.document ?? saved?.document ?? null;
}

/** The draft as an argument of calls that try it before it is saved; `{}` without one. */
export function draftArgs(draft: Draft | null): { readonly draft?: PolicyEdit } {
  const patch = draft === null ? null : patchBetween(draft.base, draft.document);
  return draft === null || patch === null ? {} : { draft: { baseHash: draft.baseHash, patch } };
}

function draftFrom(policy: PolicyView | null): Draft | null {
  if (policy === null || policy.document === null) return null;
  const { document, hash } = policy;
  return { base: document, baseHash: hash, document, past: [] };
}

/** Sets one part of the policy in the draft, or removes it with null. */
export function editPart(part: Part, value: PartValue): void {
  change((document) => withPart(document, part, value));
}

/** The same for several parts, as one step that one undo reverts. */
export function editParts(parts: readonly (readonly [part: Part, value: PartValue])[]): void {
  change((document) =>
    parts.reduce((edited, [part, value]) => withPart(edited, part, value), document),
  );
}

/** Adds rules, each to its agent, as one step that one undo reverts. */
export function addRules(
  added: readonly { readonly agent: string; readonly rule: Omit<Rule, 'id'> }[],
): void {
  const createdAt = readHostNow();
  change((document) =>
    withRules(
      document,
      added.map(({ agent, rule }) => ({
        agent,
        rule: { createdAt, source: 'editor', ...rule, id: crypto.randomUUID() },
      })),
    ),
  );
}

/** Takes rules out, puts others in their place and adds some, under their own ids, as one step. */
export function renewRules(
  agent: string,
  updates: readonly Pick<StarterUpdate, 'added' | 'changed' | 'removed'>[],
): void {
  const set = (document: PolicyDocument, id: string, rule: Rule | null): PolicyDocument =>
    withPart(document, { kind: 'rule', agent, id }, rule);
  change((document) =>
    updates.reduce((before, { added, changed, removed }) => {
      const without = removed.reduce((doc, { id }) => set(doc, id, null), before);
      const renewed = changed.reduce((doc, { after }) => set(doc, after.id, after), without);
      return withRules(
        renewed,
        added.map((rule) => ({ agent, rule })),
      );
    }, document),
  );
}

function change(edit: (document: PolicyDocument) => PolicyDocument): void {
  const { policy } = usePolicy.getState();
  const { draft } = useDraft.getState();
  const from = draft ?? draftFrom(policy);
  if (from === null) return;
  const document = edit(from.document);
  useDraft.setState({
    draft: { ...from, document, past: [...from.past, from.document] },
    notice: null,
  });
  showChange('edited', () => {
    // Another step since would be undone in the place of this one.
    if (useDraft.getState().draft?.document !== document) return false;
    undo();
    return true;
  });
}

/** Undoes the last step of the edit. */
export function undo(): void {
  const { draft } = useDraft.getState();
  const previous = draft?.past.at(-1);
  if (draft === null || previous === undefined) return;
  dropChange('edited');
  const past = draft.past.slice(0, -1);
  if (past.length === 0) discard();
  else useDraft.setState({ draft: { ...draft, document: previous, past } });
}

export function discard(): void {
  dropChange('edited');
  useDraft.setState({ draft: null, conflicts: [], notice: null });
}

/** How many parts the draft changes. */
export function draftChanges(draft: Draft): number {
  return changesBetween(draft.base, draft.document).length;
}

/** Rebases the draft onto a file that somebody else changed. True when nothing conflicts. */
export function rebase(current: PolicyView): boolean {
  const { draft, conflicts: before, postponed } = useDraft.getState();
  if (draft === null || current.document === null || current.hash === draft.baseHash)
    return before.length === 0;
  const merged = mergePolicies(draft.base, draft.document, current.document);
  const conflicts = [
    ...merged.conflicts,
    ...stillOpen(before, { except: merged.conflicts, theirs: current.document }),
  ];
  useDraft.setState({
    draft: {
      base: current.document,
      baseHash: current.hash,
      document: merged.document,
      past: [current.document],
    },
    conflicts,
    postponed: postponed && merged.conflicts.length === 0,
    ...(merged.theyChanged ? { notice: 'merged' as const } : {}),
  });
  return conflicts.length === 0;
}

// While there is a draft, it is kept up to date with the file.
let release = (): void => undefined;
useDraft.subscribe(({ draft }, { draft: before }) => {
  if ((draft === null) === (before === null)) return;
  release();
  release = draft === null ? () => undefined : holdPolicy();
});
usePolicy.subscribe(({ policy }) => {
  if (policy !== null && !useDraft.getState().saving) rebase(policy);
});

/**
 * Saves the draft. A change made elsewhere is merged first; the person settles what conflicts, and says
 * whether what can hardly be meant is meant (`accepted`).
 */
export async function save(accepted = false): Promise<void> {
  const { draft, saving, conflicts } = useDraft.getState();
  if (draft === null || saving) return;
  if (conflicts.length > 0) {
    useDraft.setState({ postponed: false });
    return;
  }
  useDraft.setState({ saving: true, doubts: [] });
  const refusal = await saveMerged(3, accepted);
  useDraft.setState({ saving: false });
  useApp.getState().fail(refusal);
}

/** Null when it is saved, or when a person has to choose first. */
async function saveMerged(attempts: number, accepted: boolean): Promise<Refusal | null> {
  const { draft } = useDraft.getState();
  if (draft === null) return null;
  const steps = savingSteps(draft.base, draft.document);
  const id = String(performance.timeOrigin + performance.now());
  for (const [index, patch] of steps.entries()) {
    const part = steps.length === 1 ? undefined : { id, index, count: steps.length };
    const answer = await saveStep(draft, { patch, accepted, part });
    if (answer === null) continue;
    if (answer.doubts !== undefined) {
      useDraft.setState({ doubts: answer.doubts });
      return null;
    }
    if (answer.conflict === undefined || attempts === 1) return answer.refusal;
    const current = await readPolicy();
    if (current === null || current.document === null) return current?.problem ?? answer.refusal;
    return rebase(current) ? saveMerged(attempts - 1, accepted) : null;
  }
  useDraft.setState(({ draft: now, notice }) => ({
    // Edits made during the save remain as a new draft.
    draft:
      now === null || now.document === draft.document ? null : { ...now, past: [draft.document] },
    notice: notice === 'merged' ? 'merged' : 'saved',
  }));
  showSaved('saved', draft.base, draft.document);
  return null;
}

/**
 * Says that the policy is another one, with a way back: by a save like any other, which is refused
 * where somebody else has changed the file since.
 */
export function showSaved(
  kind: 'saved' | 'starter',
  before: PolicyDocument,
  after: PolicyDocument,
): void {
  const { machine, policy } = usePolicy.getState();
  const hash = policy?.hash;
  showChange(kind, async () => {
    if (hash === undefined) return false;
    const steps = savingSteps(after, before);
    const id = String(performance.timeOrigin + performance.now());
    for (const [index, patch] of steps.entries()) {
      const part = steps.length === 1 ? {} : { part: { id, index, count: steps.length } };
      // It was in force before: what can hardly be meant was meant.
      const back = { patch, baseHash: hash, accepted: true, ...part };
      const answer = await savePatch(machine, back);
      useApp.getState().fail(answer.ok ? null : answer.refusal);
      if (!answer.ok) return false;
    }
    if (machine !== null && usePolicy.getState().machine === machine) await readPolicy();
    useDraft.setState({ notice: null });
    return true;
  });
}

/** Hands a patch over to whoever keeps the policy of that machine. */
async function savePatch(
  machine: string | null,
  edit: PolicySave,
): Promise<BridgeResult<'savePolicy'>> {
  if (machine === null) return call('savePolicy', edit);
  const { patch, baseHash, accepted = false, part } = edit;
  if (part === undefined)
    return call('saveNodePolicy', { node: machine, edit: { baseHash, patch }, accepted });
  const refusal: Refusal = {
    code: 'invalid-request',
    message: 'The edit is too long to be sent to a node at once.',
    hint: 'Save fewer rules at a time.',
  };
  return { ok: false, refusal };
}

/** Saves the draft, or hands over a part of it; with the last part all of it is saved at once. */
async function saveStep(
  { baseHash, document }: Draft,
  {
    patch,
    accepted,
    part,
  }: Pick<PolicySave, 'patch'> & {
    readonly accepted: boolean;
    readonly part: PolicySave['part'] | undefined;
  },
): Promise<Extract<BridgeResult<'savePolicy'>, { ok: false }> | null> {
  const answer = await savePatch(usePolicy.getState().machine, {
    patch,
    baseHash,
    ...(accepted && { accepted }),
    ...(part !== undefined && { part }),
  });
  if (!answer.ok) return answer;
  if (part !== undefined && part.index + 1 < part.count) return null;
  const { hash } = answer.result;
  useDraft.setState(({ draft: now }) => ({
    draft: now === null ? null : { ...now, base: document, baseHash: hash },
  }));
  usePolicy.setState({ policy: { hash, document, problem: null } });
  return null;
}

/** Goes back to the draft, with what can hardly be meant still in it. */
export function dropDoubts(): void {
  useDraft.setState({ doubts: [] });
}

/** Leaves a conflict open for now. Neither side is lost, and nothing can be saved. */
export function postpone(): void {
  useDraft.setState({ postponed: true });
}

/** Settles the conflicts: for each, whether mine is kept. */
export function settle(
  choices: readonly { readonly conflict: Conflict; readonly mine: boolean }[],
): void {
  for (const { conflict, mine } of choices) {
    if (mine) editPart(conflict.part, conflict.mine);
  }
  useDraft.setState({ conflicts: [] });
}

/** Goes to the allowlist of the command's agent and offers rules for the command there. */
export function startRuleFrom({ agent, command, cwd }: PastCommand): void {
  useDraft.setState({ agent, suggesting: { agent, command, cwd } });
  useApp.getState().show('allowlist');
}
