import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../../runner/cli/program.ts';
import { homePaths } from '../../../shared/home/index.ts';
import { changeDevices, readPairing } from '../../../shared/operations/index.ts';
import { havePassphrase } from '../../support/passphrase.ts';
import { cli, temporaryHome, testIo } from './support.ts';

let place: ReturnType<typeof temporaryHome>;
const uid = process.geteuid?.() ?? -1;
const paths = () => homePaths({ INTERLOCK_HOME: place.home });
beforeEach(async () => {
  place = temporaryHome();
  await cli({ home: place.home }, 'init');
});
afterEach(() => place.remove());

async function atTerminal(...args: readonly string[]) {
  const world = testIo({ home: place.home, isTTY: true });
  const exitCode = await runCli(['device', ...args], world.io);
  return { exitCode, out: world.out(), err: world.err(), now: world.io.now };
}

async function ready(): Promise<void> {
  const config = JSON.parse(readFileSync(paths().config, 'utf8')) as { readonly ui?: object };
  const ui = { ...config.ui, phoneHost: 'desk.home.example' };
  writeFileSync(paths().config, JSON.stringify({ ...config, ui }), { mode: 0o600 });
  havePassphrase(paths().passphrase, 'correct horse');
}

describe('interlock device', () => {
  it('invites a phone by a code that stands on the screen and in no file', async () => {
    await ready();
    const { exitCode, out, err, now } = await atTerminal('pair', 'phone', '--rights', 'lockout');
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    const code = /https:\/\/desk\.home\.example:7443\/#pair=(\S+)/u.exec(out)?.[1] ?? '';
    expect(out).toContain('▄');
    expect(readFileSync(paths().pairing, 'utf8')).not.toContain(code);
    const invited = readPairing(code, { paths: paths(), uid, now });
    expect(invited).toMatchObject({ name: 'phone', rights: 'lockout' });
  });

  it('invites nobody without a terminal, a name of the page, or a passphrase', async () => {
    expect((await atTerminal('pair', 'phone')).err).toContain('ui.phoneHost');
    const config = JSON.parse(readFileSync(paths().config, 'utf8')) as object;
    const ui = { phoneHost: 'desk.home.example' };
    writeFileSync(paths().config, JSON.stringify({ ...config, ui }), { mode: 0o600 });
    expect((await atTerminal('pair', 'phone')).err).toContain('passphrase');
    await ready();
    const piped = await cli({ home: place.home }, 'device', 'pair', 'phone');
    expect(piped.err).toContain('terminal');
    expect((await atTerminal('pair', 'a\u0007b')).err).toContain('not a name');
    const asOwner = await atTerminal('pair', 'his', '--person', 'The Owner');
    expect(asOwner.err).toContain('not a name of another person');
    // Nobody who could agree to it runs.
    expect((await atTerminal('pair', 'his', '--person', 'Ben')).exitCode).not.toBe(0);
    expect(existsSync(paths().pairing)).toBe(false);
  });

  it('lists devices without their keys, and takes one out', async () => {
    const [key, passkey] = ['k'.repeat(87), 'the-passkey'];
    const phone = { id: 'i'.repeat(22), name: 'phone', rights: 'answer', key, passkey } as const;
    await changeDevices({ paths: paths(), uid }, () => [{ ...phone, madeAt: 0, lastSeenAt: null }]);
    const listed = await cli({ home: place.home }, 'device', 'list', '--json');
    expect(JSON.parse(listed.out)).toEqual({
      devices: [{ id: phone.id, name: 'phone', rights: 'answer', madeAt: 0, lastSeenAt: null }],
    });
    expect((await cli({ home: place.home }, 'device', 'revoke', 'other')).err).toContain(
      'no device',
    );
    const gone = await cli({ home: place.home }, 'device', 'revoke', 'phone');
    expect(gone.out).toContain('is out');
    expect((await cli({ home: place.home }, 'device', 'list')).out).toContain(
      'No device is paired',
    );
  });
});
