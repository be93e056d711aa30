import type { BoxAgent } from '../../shared/engine/index.ts';
import type { Entry } from '../hosts/sandbox/message.ts';
import { BoxError, boxExit } from './errors.ts';

/** A folder of the box that only its own user can look into; it is in memory, and ends with the box. */
const folder = '/run/interlock';
const starter = `${folder}/with-key`;

/**
 * Puts the key into the one variable of the one program and becomes that program, so that no other
 * program of the box has it in its environment, and it is in no command line.
 */
const starterText = `# VARIABLE FILE PROGRAM...
set -eu
variable=$1
key=$(cat "$2")
shift 2
export "$variable=$key"
unset key variable
exec "$@"
`;

const keyFile = ({ name }: BoxAgent): string => `${folder}/${name}`;

/** The command that starts an agent: its own, with its key where it has one. */
export function commandOf(agent: BoxAgent): readonly string[] {
  const { key, command } = agent;
  return key === undefined
    ? command
    : ['/bin/sh', starter, key.variable, keyFile(agent), ...command];
}

/**
 * The keys of agents as files of the box's root. Throws where one is not kept, or is not a line of text.
 *
 * @param secret the value of a secret by its name; null for none
 */
export async function keyEntries(
  agents: readonly BoxAgent[],
  secret: (name: string) => Promise<string | null>,
): Promise<readonly Entry[]> {
  const keyed = agents.flatMap((agent) =>
    agent.key === undefined ? [] : [{ agent, ...agent.key }],
  );
  if (keyed.length === 0) return [];
  const files: Entry[] = [];
  for (const { agent, secret: name } of keyed) {
    const content = await secret(name);
    if (content === null)
      throw new BoxError(
        boxExit.noResource,
        `There is no secret "${name}", which "${agent.name}" is to have.`,
        `Keep it first: interlock secret set ${name}`,
      );
    // The starter reads a line, and a variable holds no NUL.
    if (!/^[^\p{Cc}]+$/u.test(content))
      throw new BoxError(
        boxExit.noResource,
        `The secret "${name}" is not a single line of text.`,
        `Keep it anew: interlock secret set ${name}`,
      );
    files.push({ kind: 'file', target: keyFile(agent), content });
  }
  return [
    { kind: 'tmpfs', target: folder, options: 'size=256k,mode=0700' },
    { kind: 'file', target: starter, content: starterText },
    ...files,
  ];
}
