import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../runner/version.ts';
import { commandLineOf } from '../../../shared/home/index.ts';
import { initHome } from '../../../shared/home/init.ts';
import { ownUid } from '../../../shared/home/index.ts';
import { canBox, home } from './support.ts';
import { hasSshd, openDoor } from './ssh-support.ts';

// Only a server of root's gives a terminal away.
const hasTerminals = hasSshd && ownUid() === 0;
if (!hasTerminals)
  console.warn(
    'NOT TESTED: the door with a real sshd, because there is none here, or it is not of root',
  );

/** The door of a home, behind which the built command line stands. */
async function realDoor() {
  const made = home();
  await initHome(made.paths, { uid: ownUid(), now: Date.now });
  const command = [process.execPath, commandLineOf(packageRoot())];
  return { ...made, door: openDoor(() => command, made.paths.home) };
}

describe.runIf(canBox && hasTerminals)('the door with a real sshd and real boxes', () => {
  it('makes a box for who asks for a new one, shows it, and goes on when it is left', async () => {
    const { boxes, workspace, door } = await realDoor();
    const person = door.atTerminal();
    const see = async (text: string) =>
      expect.poll(person.shown, { timeout: 20_000 }).toContain(text);
    await see('Boxes');
    person.type('n');
    await see('Name: ');
    person.type('made\r');
    await see('Template (');
    person.type('isolated\r');
    await see('Folder it works in: ');
    person.anew();
    person.type(`${workspace}\r`);
    await see('[made]');
    person.type('echo typed-$((6*7))\r');
    await see('typed-42');
    expect(await boxes.state('made')).toMatchObject({ state: 'running', workspace, attached: 1 });
    person.anew();
    person.type('\u0002d');
    await see('> made  isolated');
    person.type('q');
    expect(await person.ended).toBe(0);
    expect((await boxes.state('made')).state).toBe('running');
    await boxes.down('made');
  }, 60_000);

  it('runs nothing of what a client sends in the place of a name', async () => {
    const { door, workspace } = await realDoor();
    mkdirSync(join(workspace, 'mine'));
    writeFileSync(join(workspace, 'mine', 'a'), 'a');
    const target = join(workspace, 'made');
    const sent = [
      `touch ${target}`,
      `fix; touch ${target}`,
      `--print-sshd`,
      `scp -t ${target}`,
      `fix\n touch ${target}`,
    ];
    for (const command of sent) {
      const { status, stdout, stderr } = door.ssh('--', command);
      expect([status, stdout], command).toEqual([2, '']);
      expect(stderr, command).toContain('This door leads to boxes only');
    }
    expect(door.ssh('-s', 'sftp').status).not.toBe(0);
    expect(readdirSync(workspace)).toEqual(['mine']);
  }, 60_000);
});
