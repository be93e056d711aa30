import { refuse } from '../../refusal/refusal.ts';
import type { ToolCall } from '../../tools/types.ts';

/** The lines of a patch that name a file; the host reads them leniently, and so must we. */
const fileLine = /^\s*\*\*\* (?:Add File|Update File|Delete File|Move to):\s*(.+?)\s*$/gmu;

/**
 * A patch of the form `*** Begin Patch … *** End Patch`, with every file that it names as a target.
 * Throws an `invalid-request` refusal where it names none.
 */
export function patching(tool: string, patch: string): ToolCall {
  const files = new Set(Array.from(patch.matchAll(fileLine), ([, path = '']) => path));
  const [target, ...moreTargets] = files;
  if (target !== undefined)
    return { kind: 'edit', tool, target, moreTargets, detail: { form: 'diff', text: patch } };
  throw refuse(
    'invalid-request',
    'The patch names no file, so it cannot be said what it would change.',
    'Write it as "*** Begin Patch", with a line such as "*** Update File: PATH" for each file.',
  );
}
