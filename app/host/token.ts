import type { PolicyDocument } from '../../shared/policy/types.ts';

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
