import { RefusalError, refuse } from '../../shared/base/index.ts';
import type { Engine, PolicyDocument } from '../../shared/engine/index.ts';
import { readPolicyFile, watchPolicyFile, writePolicyFile } from '../../shared/home/index.ts';
import type { PolicyFile } from '../../shared/home/index.ts';
import type { PolicyView } from '../bridge/types.ts';
import { PolicyConflictError, writeTrouble } from './refusals.ts';

/** The document as a page may see it: without the socket's token. */
export function withoutToken(document: PolicyDocument): PolicyDocument {
  if (document.socket?.token === undefined) return document;
  const { token: _token, ...socket } = document.socket;
  return { ...document, socket };
}

/**
 * The document that is written: a page's edit with the socket settings of the file. A page never
 * moves the socket and never sets its token; those belong to the runner and its owner.
 */
export function withSocketOf(
  edited: PolicyDocument,
  current: PolicyDocument | null,
): PolicyDocument {
  const { socket: _socket, ...rest } = edited;
  return current?.socket === undefined ? rest : { ...rest, socket: current.socket };
}

/** The policy file as this host sees it. */
export interface PolicyDesk {
  /** For pages: never with the token. */
  view(): PolicyView;
  /** The whole document, or null while the file is not valid. Stays inside the host. */
  document(): PolicyDocument | null;
  /**
   * Writes an edit that passes the engine's checks, if the file is still the one it was made from,
   * and yields the new hash. Throws
   * a `PolicyConflictError` with the file as it is now when somebody else was faster.
   */
  save(edit: {
    readonly document: PolicyDocument;
    readonly baseHash: string;
  }): Promise<{ readonly hash: string }>;
  dispose(): void;
}

export interface PolicyDeskOptions {
  readonly path: string;
  readonly uid: number;
  /** Every save passes its checks. */
  readonly engine: Pick<Engine, 'edit'>;
  readonly onChange: () => void;
}

/** Watches the policy file until `close`. */
export function createPolicyDesk({ path, uid, engine, onChange }: PolicyDeskOptions): PolicyDesk {
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

  return {
    view: () => viewOf(file),
    document: () => (file.ok ? file.document : null),
    save: async ({ document, baseHash }) => {
      const current = readPolicyFile(path, { uid });
      if (current.hash !== baseHash) throw new PolicyConflictError(viewOf(current));
      const base = current.ok ? current.document : null;
      if (base === null) {
        throw refuse(
          'config-invalid',
          'The policy file is not valid, so an edit of it cannot be saved.',
          'Mend the file by hand or from the last good copy beside it.',
        );
      }
      const edited = await engine.edit(base, [
        { change: 'whole', document: withSocketOf(document, base) },
      ]);
      if (!edited.ok) throw new RefusalError(edited.problem);
      try {
        return await writePolicyFile(path, edited.document, { uid, baseHash });
      } catch (error) {
        const now = readPolicyFile(path, { uid });
        if (now.hash !== baseHash) throw new PolicyConflictError(viewOf(now));
        const hint = 'Nothing was changed. Make room or mend its permissions, then save again.';
        throw writeTrouble(error, { path, hint }) ?? error;
      }
    },
    dispose: stop,
  };
}

function viewOf(file: PolicyFile): PolicyView {
  return file.ok
    ? { hash: file.hash, document: withoutToken(file.document), problem: null }
    : { hash: file.hash ?? '', document: null, problem: file.problem };
}
