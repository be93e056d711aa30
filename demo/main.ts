import { homePaths } from '../shared/node/home/paths.ts';
import { runnerClient } from '../shared/node/runner-client/client.ts';
import { RunnerUnreachableError } from '../shared/node/runner-client/unreachable.ts';
import { playScene } from './play.ts';
import { makeScratch } from './scratch.ts';
import { scenes } from './script.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

process.exitCode = await main();

/** Plays all scenes, one after the other. Resolves with the exit status. */
async function main(): Promise<number> {
  const client = runnerClient({ socketPath: homePaths(process.env).runnerSocket });
  try {
    const { approver } = await client.status();
    if (!approver.connected)
      say(
        'No approver is connected, so the fallback of the policy decides. "interlock ui" starts one.\n',
      );
  } catch (error) {
    if (!(error instanceof RunnerUnreachableError)) throw error;
    say(`${error.message}\nStart everything in another terminal with "npm start", then try again.`);
    return 125;
  }
  const scratch = await makeScratch();
  say(
    `An agent named "demo" now asks for ${String(scenes.length)} commands, in ${scratch.folder}.`,
  );
  say('Nothing of this harms anything, whatever you answer. Ctrl-C ends it.\n');
  try {
    for (const [index, scene] of scenes.entries()) {
      say(`${String(index + 1)}. ${scene.title}\n   $ ${scene.command}`);
      await playScene(scene, { client, folder: scratch.folder, say, signal: stop.signal });
      say('');
    }
    say('That was all. Rules that you made with "always" are in "npx interlock approvals get".');
    return 0;
  } catch (error) {
    if (stop.signal.aborted) return 130;
    say(`   ${error instanceof Error ? error.message : String(error)}`);
    return 125;
  } finally {
    await scratch.remove();
  }
}
