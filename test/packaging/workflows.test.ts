import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { projectRoot } from './pack.ts';

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly 'timeout-minutes'?: number;
        readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
      }
    >
  >;
}

const folder = join(projectRoot, '.github/workflows');
const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

// They have not run: what is held here is that they ask for nothing that is not there.
describe.each(readdirSync(folder))('the workflow %s', (name) => {
  const workflow = parse(readFileSync(join(folder, name), 'utf8'), { strict: true }) as Workflow;
  const jobs = Object.values(workflow.jobs);
  const commands = jobs.flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));

  it('may read the sources and no more, where a job does not say otherwise', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
  });

  it('ends each job at a time, and takes actions of GitHub alone, each at one commit', () => {
    for (const { 'timeout-minutes': minutes, steps } of jobs) {
      expect(minutes).toBeGreaterThan(0);
      for (const { uses } of steps)
        if (uses !== undefined) expect(uses).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/u);
    }
  });

  it('runs scripts and files that there are', () => {
    const named = commands.flatMap((run) => [...run.matchAll(/\bnpm run ([\w:-]+)/gu)]);
    expect(named.length).toBeGreaterThan(3);
    for (const [, script = ''] of named) expect(scripts).toHaveProperty(script);
    for (const [, file = ''] of commands.flatMap((run) => [...run.matchAll(/\bnode (\S+)/gu)]))
      expect(existsSync(join(projectRoot, file)), file).toBe(true);
  });
});
