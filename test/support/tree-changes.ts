import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathBytes } from '../../shared/home/folder-names.ts';

/** Node's own walk of a tree goes through links, for ever. */
function namesBelow(folder: string, most = 300): string[] {
  const found: string[] = [];
  const left = [''];
  for (let at = left.pop(); at !== undefined && found.length < most; at = left.pop())
    for (const entry of readdirSync(join(folder, at), { withFileTypes: true })) {
      const path = join(at, entry.name);
      found.push(path);
      if (entry.isDirectory()) left.push(path);
    }
  return found;
}

/**
 * One change anywhere in a workspace, as a command or a person makes them; what cannot be done is not.
 *
 * @param outside a folder beside it
 * @param pick answers a number from 0 up to the one that it gets
 */
export function changeTree(
  workspace: string,
  outside: string,
  pick: (most: number) => number,
): void {
  mkdirSync(workspace, { recursive: true });
  const all = namesBelow(workspace);
  const some = (): string => {
    const one = all[pick(all.length)];
    return one === undefined ? workspace : join(workspace, one);
  };
  const fresh = (): string => `${some()}/${['n', '.git', 'node_modules', 'é', 'x'][pick(5)]}`;
  const ways: readonly (() => void)[] = [
    () => mkdirSync(fresh()),
    () => mkdirSync(`${fresh()}/deep/er`, { recursive: true }),
    () => writeFileSync(fresh(), 'x'),
    () => writeFileSync(pathBytes(`${Buffer.from(some()).toString('latin1')}/\xff`), 'x'),
    () => appendFileSync(some(), 'more'),
    () => rmSync(some(), { recursive: true }),
    () => renameSync(some(), fresh()),
    () => renameSync(some(), some()),
    () => linkSync(some(), fresh()),
    () => symlinkSync(outside, fresh()),
    () => symlinkSync('..', fresh()),
    () => {
      // A folder exchanged for a link, and put back with something new in it.
      const one = some();
      renameSync(one, `${outside}/kept`);
      symlinkSync(outside, one);
      rmSync(one);
      mkdirSync(`${outside}/kept/late`, { recursive: true });
      renameSync(`${outside}/kept`, one);
    },
    () => {
      const [one, other] = [some(), some()];
      renameSync(one, `${workspace}/swap`);
      renameSync(other, one);
      renameSync(`${workspace}/swap`, other);
    },
  ];
  try {
    ways[pick(ways.length)]?.();
  } catch {
    // It cannot be done there.
  }
}
