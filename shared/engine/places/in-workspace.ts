import { byName } from './context.ts';
import { placeOf } from './place-of.ts';
import type { PlaceContext, PlaceFiles } from './types.ts';

/**
 * What becomes of a file or folder of a workspace where nobody allowed the command: `hide` what holds
 * secrets, `keep` as it is what steers or runs later, null for all else.
 */
type WorkspaceCare = 'hide' | 'keep' | null;

/**
 * What becomes of a path of a workspace.
 *
 * @param by `name` says what may become of it, whatever is in it now; `content`, as it is now
 */
export type CareOf = (path: string, by: 'name' | 'content') => WorkspaceCare;

/**
 * Says what becomes of paths of a workspace, by the one list of places. Names decide; where the list
 * asks for content, the file is looked into.
 *
 * @param workspace absolute and real
 */
export function careIn(
  workspace: string,
  { home, files }: { readonly home: string; readonly files: PlaceFiles },
): CareOf {
  const context: PlaceContext = {
    machine: { home, platform: 'linux', temporary: [], path: [], known: [], files },
    cwd: workspace,
    projects: [workspace],
  };
  const named = byName(context);
  return (path, by) => {
    const care = careOf(path, named);
    return care === null || by === 'name' ? care : careOf(path, context);
  };
}

function careOf(path: string, context: PlaceContext): WorkspaceCare {
  const { place } = placeOf(path, context);
  if (place === 'secret' || place === 'own') return 'hide';
  return place === 'steers' || place === 'runs-later' ? 'keep' : null;
}
