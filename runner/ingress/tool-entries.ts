import { basename, relative } from 'node:path';
import { replaceableProgram } from '../../shared/home/index.ts';
import { brokeredWords } from '../../shared/engine/index.ts';
import type { ToolPolicy } from '../../shared/engine/index.ts';
import type { Entry } from '../hosts/sandbox/message.ts';

/** Where a sandbox has what brings calls to the runner (`runner/client/shim.c`). */
const place = '/run/interlock-tools';

/** Goes first on the PATH of a sandbox. */
export const toolFolder = `${place}/bin`;

/** The runner's socket in the folder that a box which stays has for it. */
export const doorName = 'door';

/**
 * What brings calls of brokered tools out of a sandbox, as places in it.
 *
 * @param how `client`: the native client by its real path; `path`: directories of the PATH that
 *   commands get; `door`: where the runner listens, on this machine and below `place`; `always`: names
 *   all of whose calls go out, though there is no policy of theirs
 */
export function toolEntries(
  policies: ReadonlyMap<string, ToolPolicy>,
  how: {
    readonly client: string;
    readonly path: readonly string[];
    readonly door: { readonly source: string; readonly name: string };
    readonly always?: readonly string[];
  },
): readonly Entry[] {
  const { client, path, door, always = [] } = how;
  const bind = (target: string, source: string): Entry => ({
    kind: 'bind',
    target,
    source,
    ours: true,
    ifPresent: true,
  });
  const lines = [
    ...always.map((name) => `${name} *`),
    ...[...policies].map(([tool, policy]) => [tool, ...brokeredWords(policy)].join(' ')),
  ];
  return [
    bind(`${place}/shim`, client),
    bind(`${place}/${door.name}`, door.source),
    { kind: 'file', target: `${place}/calls`, content: `${lines.join('\n')}\n` },
    ...always.map((name): Entry => ({
      kind: 'link',
      target: `${toolFolder}/${name}`,
      to: '../shim',
    })),
    ...[...policies.values()].flatMap((policy): readonly Entry[] => {
      const { tool } = policy;
      const link: Entry = { kind: 'link', target: `${toolFolder}/${tool}`, to: '../shim' };
      // A plan names its programs by their paths: what lies there is this one, too.
      const program = replaceableProgram(policy, path);
      if (program === null) return [link];
      const { file, package: folder } = program;
      if (folder === null)
        return [bind(`${place}/programs/${tool}`, file), link, bind(file, client)];
      // Under its own name it runs with all that it looks for around itself.
      const to = `../packages/${tool}/${relative(folder, file)}`;
      return [
        bind(`${place}/packages/${tool}`, folder),
        { kind: 'link', target: `${place}/programs/${tool}`, to },
        { kind: 'link', target: `${place}/files/${basename(file)}`, to: tool },
        link,
        bind(file, client),
      ];
    }),
  ];
}
