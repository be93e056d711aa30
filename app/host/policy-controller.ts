import { RefusalError, refuse } from '../../shared/base/index.ts';
import { patchBetween, withPatch, withoutSocketToken } from '../../shared/engine/index.ts';
import type {
  Engine,
  PolicyChange,
  PolicyDocument,
  PolicyEdit,
  PolicyPatch,
  PolicySave,
  Rule,
} from '../../shared/engine/index.ts';
import {
  editPolicyFile,
  readPolicyFile,
  watchPolicyFile,
  writePolicyFile,
} from '../../shared/home/index.ts';
import type { PolicyFile } from '../../shared/home/index.ts';
import type { BridgeCalls, PolicyStatus } from '../bridge/types.ts';
import { PolicyConflictError, PolicyDoubtError, writeTrouble } from './refusals.ts';

/** The policy file as this host sees it. */
export interface PolicyController {
  /** For every push: which file it is, without what is in it. */
  status(): PolicyStatus;
  /** For a page that shows the policy: without the token, and only the change where that is shorter. */
  read(have?: string): BridgeCalls['policy']['result'];
  /** The whole document, or null while the file is not valid. Stays inside the host. */
  document(): PolicyDocument | null;
  /**
   * The document with an unsaved edit in it, or as it is without one. Throws a refusal when the edit
   * does not fit, or was made from a version that no page was given lately.
   */
  drafted(draft: PolicyEdit | undefined): PolicyDocument | null;
  /**
   * Writes an edit that passes the engine's checks, if the file is still the one it was made from,
   * and yields the new hash. Throws a `PolicyConflictError` that names the file as it is now when
   * somebody else was faster, and a `PolicyDoubtError` for rules that can hardly be meant, unless the
   * edit says that they are.
   */
  save(edit: PolicySave): Promise<{ readonly hash: string }>;
  /** Takes rules out, by what they are and not by where they stand; answers how many were there. */
  remove(agent: string, isMeant: (rule: Rule) => boolean): Promise<number>;
  /**
   * Makes the changes that are asked for, once they pass the engine's checks. Throws a refusal where
   * they do not, where the file is not valid, and where somebody else wrote it meanwhile.
   */
  change(
    wanted: (document: PolicyDocument) => Promise<readonly PolicyChange[]>,
    options?: { readonly accepted?: boolean },
  ): Promise<void>;
  dispose(): void;
}

interface PolicyControllerOptions {
  readonly path: string;
  readonly uid: number;
  /** Every save passes its checks. */
  readonly engine: Pick<Engine, 'edit'>;
  readonly onChange: () => void;
}

/** How many versions are kept of those that pages were given: for their edits, and for patches. */
const versionsKept = 3;

/** A patch up to this length, in characters, is sent without being weighed against the document. */
const shortPatch = 64 * 1024;

/** Watches the policy file until `close`. */
export function createPolicyController(options: PolicyControllerOptions): PolicyController {
  const { path, uid, engine, onChange } = options;
  let file: PolicyFile = readPolicyFile(path, { uid });
  let watching = false;
  const stop = watchPolicyFile(path, {
    uid,
    onChange: (changed) => {
      file = changed;
      if (watching) onChange();
    },
  });
  watching = true;

  const given = createVersions();
  const parts = createParts();

  const changeFile: PolicyController['change'] = async (wanted, { accepted = false } = {}) => {
    const current = readPolicyFile(path, { uid });
    if (!current.ok) throw new RefusalError(current.problem);
    const changes = await wanted(current.document);
    if (changes.length === 0) return;
    const edited = await engine.edit(current.document, changes, { accepted });
    if (!edited.ok) throw new RefusalError(edited.problem);
    await writePolicyFile(path, edited.document, { uid, baseHash: current.hash });
    // The watch tells of it later, and whoever asked for the change looks at once.
    file = readPolicyFile(path, { uid });
    onChange();
  };

  return {
    status: () => statusOf(file),
    read: (have) => {
      if (!file.ok) return { ...statusOf(file), document: null };
      const old = have === undefined ? undefined : given.find(have);
      const { hash } = file;
      const document = given.add(hash, file.document);
      const patch = old === undefined ? null : shorterPatch(old, document);
      return have === undefined || patch === null
        ? { hash, document, problem: null }
        : { hash, from: have, patch };
    },
    document: () => (file.ok ? file.document : null),
    drafted: (draft) => {
      const current = file.ok ? file.document : null;
      if (draft === undefined) return current;
      const base = file.hash === draft.baseHash ? current : null;
      return draftOn(base ?? given.find(draft.baseHash), draft, file);
    },
    save: async (edit) => {
      const patches = parts.take(edit);
      // Nothing of it is on the disk before all of it is: a reader sees the one policy or the other.
      if (patches === null) return { hash: edit.baseHash };
      const { hash, document } = await saveEdit(edit, patches, options);
      given.add(hash, document);
      return { hash };
    },
    remove: async (agent, isMeant) => {
      let count = 0;
      const takeOut = async (document: PolicyDocument): Promise<readonly PolicyChange[]> => {
        const rules = (document.agents?.[agent]?.allowlist ?? []).filter(isMeant);
        count = rules.length;
        return rules.map(({ id }) => ({ change: 'remove', id, agent }) as const);
      };
      await changeFile(takeOut, { accepted: true });
      return count;
    },
    change: changeFile,
    dispose: stop,
  };
}

/** What pages were given lately, by its hash. Never with the token. */
function createVersions(): {
  add(hash: string, document: PolicyDocument): PolicyDocument;
  find(hash: string): PolicyDocument | undefined;
} {
  /** The newest last. */
  const given = new Map<string, PolicyDocument>();
  return {
    add: (hash, document) => {
      const shown = given.get(hash) ?? withoutSocketToken(document);
      given.delete(hash);
      given.set(hash, shown);
      for (const oldest of [...given.keys()].slice(0, -versionsKept)) given.delete(oldest);
      return shown;
    },
    find: (hash) => given.get(hash),
  };
}

function draftOn(
  base: PolicyDocument | undefined,
  draft: PolicyEdit,
  file: PolicyFile,
): PolicyDocument {
  if (base === undefined) throw new PolicyConflictError(statusOf(file));
  const drafted = withPatch(base, draft.patch);
  if (drafted !== null) return drafted;
  throw refuse(
    'invalid-request',
    'The edit was made for other rules than these.',
    'Discard it, and edit again.',
  );
}

/** Writes the patches over the version that they were made from, once they pass the engine's checks. */
async function saveEdit(
  { baseHash, accepted = false }: PolicySave,
  patches: readonly PolicyPatch[],
  { path, uid, engine }: PolicyControllerOptions,
): Promise<{ readonly hash: string; readonly document: PolicyDocument }> {
  const how = { baseHash, patches, accepted };
  const edited = await editPolicyFile({ path, uid, engine }, how).catch((error: unknown) => {
    const hint = 'Nothing was changed. Make room or mend its permissions, then save again.';
    throw writeTrouble(error, { path, hint }) ?? error;
  });
  if (edited.kind === 'saved') return edited;
  if (edited.kind === 'conflict') throw new PolicyConflictError(statusOf(edited.current));
  throw edited.doubts === undefined
    ? new RefusalError(edited.problem)
    : new PolicyDoubtError(edited.problem, edited.doubts);
}

/** The most that is kept of an edit of which parts are still to come, in characters. */
const mostWaiting = 256 * 1024 * 1024;

/** Gathers an edit that comes in parts: all its patches once the last is there, and null before. */
function createParts(): { take(edit: PolicySave): readonly PolicyPatch[] | null } {
  let waiting: { readonly key: string; readonly patches: PolicyPatch[]; size: number } | null =
    null;
  const start = (key: string) => {
    waiting = { key, patches: [], size: 0 };
    return waiting;
  };
  return {
    take: ({ baseHash, patch, part }) => {
      if (part === undefined) return [patch];
      const key = `${baseHash} ${part.id} ${String(part.count)}`;
      const found = part.index === 0 ? start(key) : waiting;
      const size = JSON.stringify(patch).length + (found?.size ?? 0);
      if (found?.key !== key || found.patches.length !== part.index || size > mostWaiting) {
        waiting = null;
        throw refuse(
          'invalid-request',
          'The parts of the edit do not belong together, or one is missing.',
          'Nothing was changed. Save again.',
        );
      }
      found.patches.push(patch);
      found.size = size;
      if (part.index + 1 < part.count) return null;
      waiting = null;
      return found.patches;
    },
  };
}

function shorterPatch(old: PolicyDocument, document: PolicyDocument): PolicyPatch | null {
  const patch = patchBetween(old, document);
  if (patch === null) return null;
  const length = JSON.stringify(patch).length;
  return length <= shortPatch || length < JSON.stringify(document).length ? patch : null;
}

function statusOf(file: PolicyFile): PolicyStatus {
  return file.ok
    ? { hash: file.hash, problem: null }
    : { hash: file.hash ?? '', problem: file.problem };
}
