import { dirname } from 'node:path';
import type { HealthOptions } from '../../agents/index.ts';
import { projectFileIn } from '../../engine/index.ts';
import type { Config } from '../../engine/index.ts';
import { isSameProject, readArming, readProjectFile, trustStateOf } from '../../home/index.ts';
import { ok, warning } from './types.ts';
import type { HealthCheck } from './types.ts';

const changes = {
  changed: 'has changed since a person trusted it',
  gone: 'is gone, and a person trusted it',
  'another-folder': 'lies in another folder than the one that a person trusted',
} as const;

/** Levels above a folder whose files are looked at; a project is seldom deeper. */
const mostLevels = 32;

/**
 * One line for each project whose `.interlock.json` a person trusted, and for each whose file counts for
 * nothing: of the folder one stands in, the workspaces, and where agents have asked. None where there
 * is no such file.
 */
export function projectChecks(
  { paths, uid, folder }: HealthOptions,
  config: Config | null,
): readonly HealthCheck[] {
  if (config === null) return [];
  const { projects = [], exec } = config;
  const trusted = projects.map((project) => {
    const path = projectFileIn(project.folder);
    const id = `project-${project.folder}`;
    const state = trustStateOf(project);
    if (state === 'same') return ok(id, `${path} bounds what is done there, as a person trusted`);
    return warning(
      id,
      `${path} ${changes[state]}`,
      `What was trusted holds on. Look at it, then: interlock policy trust ${project.folder}, or: interlock policy untrust ${project.folder}`,
    );
  });
  const asked = readArming(paths.arming, uid)?.sessions.map((session) => session.folder) ?? [];
  const places = [...(folder === undefined ? [] : [folder]), ...exec.workspaces, ...asked];
  const around = new Set(places.flatMap((place) => upwards(place)));
  const seen = new Set<string>();
  const ignored = [...around].flatMap((place) => {
    const now = readProjectFile(place);
    if (now.state === 'absent') return [];
    const at = now.state === 'valid' ? now.project.folder : place;
    if (seen.has(at)) return [];
    seen.add(at);
    if (
      projects.some((one) =>
        now.state === 'valid' ? isSameProject(one, now.project) : one.folder === at,
      )
    )
      return [];
    const why =
      now.state === 'valid'
        ? `Look at it, then: interlock policy trust ${at}`
        : `It is not valid: ${now.problem}`;
    return [
      warning(
        `project-${at}`,
        `${projectFileIn(at)} counts for nothing: no person has trusted it`,
        why,
      ),
    ];
  });
  return [...trusted, ...ignored];
}

function upwards(folder: string): readonly string[] {
  const found = [folder];
  for (let here = folder; dirname(here) !== here && found.length < mostLevels;) {
    here = dirname(here);
    found.push(here);
  }
  return found;
}
