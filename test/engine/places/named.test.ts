import { describe, expect, it } from 'vitest';
import { namesPlace } from '../../../shared/engine/rules/compiled-rule.ts';
import { placeOf } from '../../../shared/engine/places/place-of.ts';
import { contextWith, home, project } from './support.ts';

const names = (pattern: string, path: string): boolean =>
  namesPlace(pattern, placeOf(path, contextWith()), home);

describe('namesPlace', () => {
  it.each([
    [`${project}/.github/workflows/ci.yml`, '.github/workflows/ci.yml'],
    [`${project}/.github/workflows/**`, '.github/workflows/ci.yml'],
    [`${project}/.github/workflows/*.yml`, '.github/workflows/ci.yml'],
    ['~/src/app/.envrc', '.envrc'],
    [`${project}/.claude/settings.json`, '.claude/settings.json'],
    [`${project}/.claude/commands/**`, '.claude/commands/x.md'],
    [`${project}/.claude/**`, '.claude/commands/x.md'],
    [String.raw`${project}/\.env`, '.env'],
    ['~/.interlock/config.json', '~/.interlock/config.json'],
  ])('%s names %s', (pattern, path) => {
    expect(names(pattern, path)).toBe(true);
  });

  it.each([
    ['**', '.envrc'],
    [`${project}/**`, '.claude/settings.json'],
    [`${project}/*`, '.envrc'],
    [`${project}/.env*`, '.envrc'],
    [`${project}/.env?`, '.env'],
    [`${project}/{src,.envrc}`, '.envrc'],
    [`${project}/.github/**`, '.github/workflows/ci.yml'],
    [`${project}/.g[i]thub/workflows/**`, '.github/workflows/ci.yml'],
    ['~/src/*/.github/workflows/**', '.github/workflows/ci.yml'],
    [`${project}/.git/**`, '.git/hooks/pre-commit'],
    [`${project}/.claude/**`, '.claude/settings.json'],
    [`${project}/.claude/settings*.json`, '.claude/settings.json'],
    [`${project}/.claude/settings.{json,local.json}`, '.claude/settings.json'],
    [`${project}/.opencode/plugins/**`, '.opencode/plugins/x.js'],
    ['~/.interlock/**', '~/.interlock/config.json'],
    [`${project}/other/.envrc`, '.envrc'],
  ])('%s does not name %s', (pattern, path) => {
    expect(names(pattern, path)).toBe(false);
  });
});
