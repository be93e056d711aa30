import { describe, expect, it } from 'vitest';
import { workspaceOf } from '../../shared/engine/workspace.ts';

const home = '/home/me';

/** The workspace of a folder among these projects; null where there is none. */
function chosen(cwd: string, projects: readonly string[] = [], given: readonly string[] = []) {
  const isThere = (path: string) => projects.some((one) => path === `${one}/.git`);
  const found = workspaceOf(cwd, { given, homes: [home, home], isThere });
  return found.ok ? found.path : null;
}

describe('the workspace of a folder', () => {
  it.each(['/home/me/Documents', '/home/me/Downloads', '/home/me/Dokumente', '/var/www'])(
    'is not %s, which holds many things, but where it was chosen',
    (path) => {
      expect(chosen(path)).toBeNull();
      expect(chosen(path, [path])).toBe(path);
      expect(chosen(path, [], [path])).toBe(path);
      expect(chosen(`${path}/novel`)).toBe(`${path}/novel`);
      expect(chosen(`${path}/site/src`, [`${path}/site`])).toBe(`${path}/site`);
    },
  );

  it('is not a folder of the system, and not home nor what holds it', () => {
    for (const path of ['/', '/home', home, '/etc/x', '/var', `${home}/.ssh`])
      expect(chosen(path, [], []), path).toBeNull();
    expect(chosen(`${home}/project`)).toBe(`${home}/project`);
    expect(chosen(`${home}/code/Documents`)).toBe(`${home}/code/Documents`);
  });
});
