import { join } from 'node:path';
import { toldAtHomeIn } from '../../../shared/agents/index.ts';
import type { Entry } from '../../hosts/sandbox/message.ts';
import type { WorkspaceRecord } from '../workspace/record.ts';
import type { ProjectFacts } from './project.ts';

/** What an agent in a box is told of it. */
export interface SkillFacts {
  readonly box: string;
  readonly workspace: WorkspaceRecord;
  /** Whether the workspace is in a repository of Git. */
  readonly hasGit: boolean;
  readonly network: 'none' | 'restricted' | 'full';
  /** Programs that are there and that one may look for. */
  readonly tools: readonly string[];
  /** Brokered tools: called in the box, they run outside where a rule or a person allows it. */
  readonly brokered: readonly string[];
  readonly project: ProjectFacts;
  /** The template's own words, which come last; null for none. */
  readonly custom: string | null;
}

/** The text for agents in a box, in Markdown. Pure. */
export function skillText(facts: SkillFacts): string {
  const { box, custom } = facts;
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['Version control', versionControl(facts)],
    ['Network', network(facts)],
    ['What stays and what goes', stays(facts)],
    ['Outside of the box', outside(facts)],
    ['Tools', facts.tools.length === 0 ? [] : [`Installed: ${facts.tools.join(', ')}.`]],
    ['This project', project(facts.project)],
  ];
  const text = sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `## ${title}\n\n${lines.map((line) => `- ${line}`).join('\n')}\n`);
  const own = custom === null ? [] : [`## From the template\n\n${custom.trim()}\n`];
  const head = `# You work in the box "${box}"\n\nInterlock, which runs it, wrote this file when the box was made and removes it with the box. The project's own instructions come before it.\n`;
  return [head, ...text, ...own].join('\n');
}

function versionControl({ workspace, hasGit }: SkillFacts): readonly string[] {
  if (workspace.kind === 'jj')
    return [
      'This is a workspace of Jujutsu: use jj, not git (`jj status`, `jj diff`, `jj describe`, `jj new`).',
      'Every command of jj takes your files into the commit you work on; a person looks at it from outside.',
      'Others work in workspaces of the same repository: leave their commits alone.',
    ];
  if (workspace.kind === 'worktree')
    return [
      `This is a Git worktree on the branch \`${workspace.branch}\`. Commit there; a person merges it.`,
      'Others work on other branches of the same repository at the same time: do not switch to, move or remove those.',
      'What is committed stays when the box goes.',
    ];
  if (workspace.kind === 'clone')
    return [
      'This is a clone of its own (`git status`, `git diff`, `git commit`).',
      'A person takes commits out of it; pushing may not work from in here.',
    ];
  if (!hasGit) return ['There is no version control here: what you overwrite is gone.'];
  return [
    'This is the person’s own work tree (`git status`, `git diff`). They may change files while you work.',
    'Do not discard changes that are not yours.',
  ];
}

function network({ network: mode }: SkillFacts): readonly string[] {
  if (mode === 'none')
    return ['There is none. Do not try to download anything; say what is missing.'];
  if (mode === 'full') return ['It is that of the machine.'];
  return [
    'Only through the proxy that the variables name (`HTTPS_PROXY` and the like), and only to hosts that are allowed.',
    'A host that is not allowed is put to a person, or answered with 403 and the reason. Do not look for a way around it: say which host you need and why.',
    'Names are looked up by the proxy: ssh, ping and what goes past it find no network.',
  ];
}

function stays({ workspace }: SkillFacts): readonly string[] {
  return [
    `Stays: everything in the workspace \`${workspace.path}\`.`,
    'Goes with the box or at its next start: your home folder, /tmp, installed packages, and all else.',
  ];
}

function outside({ brokered }: SkillFacts): readonly string[] {
  const code = brokered.map((one) => `\`${one}\``).join(', ');
  return [
    'Other files of the person, their keys and their running programs are not here, and are not to be looked for.',
    'A command that has to run on the machine itself is asked for with `interlock run --reason "why it has to" -- PROGRAM ARGUMENTS`, in a folder of the workspace. The person is asked each time, so it may wait for minutes, and is for what cannot be done in here; it runs outside, with its output and exit status here. It sees the files of the workspace as they are outside: what you have committed here is not in the person’s repository yet.',
    ...(brokered.length === 0
      ? []
      : [
          `Call ${code} as always: what needs the person’s sign-in runs outside, once Interlock’s rules or a person allow it.`,
        ]),
    'A refusal says why and what to do instead. Do not try the same in another spelling. Where Interlock does not answer, say which command a person should run, and why.',
  ];
}

function project({
  languages,
  packageManager,
  build,
  test,
  lint,
}: ProjectFacts): readonly string[] {
  const code = (all: readonly string[]): string => all.map((one) => `\`${one}\``).join(', ');
  return [
    ...(languages.length === 0 ? [] : [`Written in ${languages.join(', ')}.`]),
    ...(packageManager === null ? [] : [`Packages: ${packageManager}.`]),
    ...(build.length === 0 ? [] : [`Build: ${code(build)}`]),
    ...(test.length === 0 ? [] : [`Tests: ${code(test)}`]),
    ...(lint.length === 0 ? [] : [`Look over: ${code(lint)}`]),
  ];
}

/** The text where the agents in a box read it: in its own home folder, which goes with it. */
export function skillEntries(home: string, text: string): readonly Entry[] {
  return toldAtHomeIn.map((file) => ({ kind: 'file', target: join(home, file), content: text }));
}
