// What the plugins of all hosts have in common. A host takes one file, so "interlock install" puts this
// in the place of the line that imports it.
import { spawn } from 'node:child_process';

export const settings = {};

/** Commands that are allowed run as they came; else only what stands for them does. */
export const onlyDecides = settings.command?.at(-1) === '--decide-only';

/** Asks the hook program. Never rejects: everything that is not an answer is a refusal. */
export function ask(question) {
  const nothing = (why) => ({
    decision: 'deny',
    reason: `Interlock allowed nothing: ${why} "interlock doctor" says what is wrong.`,
  });
  return new Promise((resolve) => {
    const [program, ...words] = settings.command;
    const hook = spawn(program, words, { stdio: ['pipe', 'pipe', 'ignore'] });
    let said = '';
    hook.on('error', () => resolve(nothing('its hook program could not be started.')));
    hook.stdin.on('error', () => {});
    hook.stdout.setEncoding('utf8');
    hook.stdout.on('data', (part) => {
      said += part;
    });
    hook.on('close', (code) => {
      try {
        const answer = JSON.parse(said);
        if (code === 0 && answer !== null && typeof answer === 'object') return resolve(answer);
      } catch {
        // What is not JSON is not an answer.
      }
      resolve(nothing('its hook program did not answer.'));
    });
    hook.stdin.end(JSON.stringify({ version: 1, ...question }));
  });
}
