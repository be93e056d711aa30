import { create } from 'zustand';
import type { PolicyDocument, Rule } from '../../../shared/engine/index.ts';
import type { PolicyView } from '../../bridge/types.ts';
import { call, readHostNow, useApp } from '../state/app.ts';
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
  /** The person put the choice off: it comes back with the next save. */
  readonly postponed: boolean;
  readonly notice: 'saved' | 'merged' | null;
  readonly saving: boolean;
}

export const useDraft = create<DraftModel>()(() => ({
  draft: null,
  agent: '*',
  editing: null,
  suggesting: null,
  conflicts: [],
  postponed: false,
  notice: null,
  saving: false,
}));

/** The document as the editor shows it: with the edit, or as the file is. */
export function useDocument(): PolicyDocument | null {
  const draft = useDraft((model) => model.draft);
  const saved = useApp((model) => model.state?.policy.document ?? null);
  return draft?.document ?? saved;
}

function draftFrom(policy: PolicyView | undefined): Draft | null {
  if (policy === undefined || policy.document === null) return null;
  const { document, hash } = policy;
  return { base: document, baseHash: hash, document, past: [] };
}

/** Sets one part of the policy in the draft, or takes it out with null. */
export function editPart(part: Part, value: PartValue): void {
  change((document) => withPart(document, part, value));
}

/** Adds rules to an agent each, as one step that one undo takes back. */
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

function change(edit: (document: PolicyDocument) => PolicyDocument): void {
  const policy = useApp.getState().state?.policy;
  const { draft } = useDraft.getState();
  const from = draft ?? draftFrom(policy);
  if (from === null) return;
  const document = edit(from.document);
  useDraft.setState({
    draft: { ...from, document, past: [...from.past, from.document] },
    notice: null,
  });
}

/** Takes back the last step of the edit. */
export function undo(): void {
  const { draft } = useDraft.getState();
  const previous = draft?.past.at(-1);
  if (draft === null || previous === undefined) return;
  const past = draft.past.slice(0, -1);
  if (past.length === 0) discard();
  else useDraft.setState({ draft: { ...draft, document: previous, past } });
}

export function discard(): void {
  useDraft.setState({ draft: null, conflicts: [], notice: null });
}

/** How many parts the draft changes. */
export function draftChanges(draft: Draft): number {
  return changesBetween(draft.base, draft.document).length;
}

/** Brings the draft onto a file that somebody else changed. True when nothing is in conflict. */
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

// A push may be older than what a refused save brought back: only a change of the file counts.
useApp.subscribe(({ state }, { state: before }) => {
  if (state === null || state.policy.hash === before?.policy.hash) return;
  if (!useDraft.getState().saving) rebase(state.policy);
});

/** Saves the draft; a change made elsewhere meanwhile is merged first, and what clashes is asked. */
export async function save(attempts = 3): Promise<void> {
  const { draft, saving, conflicts } = useDraft.getState();
  if (draft === null || (saving && attempts === 3)) return;
  if (conflicts.length > 0) {
    useDraft.setState({ postponed: false });
    return;
  }
  useDraft.setState({ saving: true });
  const { document, baseHash } = draft;
  const result = await call('savePolicy', { document, baseHash });
  if (result.ok) {
    useApp.getState().fail(null);
    useDraft.setState(({ notice }) => ({
      draft: null,
      saving: false,
      notice: notice === 'merged' ? 'merged' : 'saved',
    }));
    return;
  }
  if (result.conflict !== undefined && attempts > 1) {
    const clean = rebase(result.conflict);
    if (clean && result.conflict.document !== null) return save(attempts - 1);
    if (!clean) {
      useDraft.setState({ saving: false });
      return;
    }
  }
  useDraft.setState({ saving: false });
  useApp.getState().fail(result.conflict?.problem ?? result.refusal);
}

/** Leaves a conflict open for now. Nothing of either side is lost, and nothing can be saved. */
export function postpone(): void {
  useDraft.setState({ postponed: true });
}

/** Settles a conflict: for each, whether mine is kept. */
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
