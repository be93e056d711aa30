import { afterEach, describe, expect, it } from 'vitest';
import { runnerGraceMs } from '../../../app/electron/controller.ts';
import { checkEveryMs } from '../../../app/electron/updates.ts';
import { click } from './support/fake-things.ts';
import { startFake } from './support/start.ts';
import type { FakeShell } from './support/start.ts';

let fake: FakeShell;
afterEach(() => fake.end());

const labels = () => fake.tray().menu.map(({ label }) => label);

describe('the runner that is shipped with the app', () => {
  it('is started when no other runner answers for a while', async () => {
    fake = await startFake();
    fake.host.push({ runner: null });
    fake.clock.advance(runnerGraceMs - 1);
    expect(fake.children).toHaveLength(0);
    fake.clock.advance(1);
    expect(fake.children[0]?.started).toEqual([
      '/res/runner/main.js',
      [],
      expect.objectContaining({ stdio: 'ignore' }),
    ]);
  });

  it('is left alone when a runner answers', async () => {
    fake = await startFake();
    fake.clock.advance(runnerGraceMs);
    expect(fake.children).toHaveLength(0);
  });

  it('is not started by itself where the person does not want it, but from the menu', async () => {
    fake = await startFake({ settings: { version: 1, startRunner: false } });
    fake.host.push({ runner: null });
    fake.clock.advance(runnerGraceMs);
    expect(fake.children).toHaveLength(0);
    click(fake.tray().menu, 'Start the runner');
    click(fake.tray().menu, 'Start the runner');
    expect(fake.children).toHaveLength(1);
  });

  it('can be started again after it ended', async () => {
    fake = await startFake();
    fake.host.push({ runner: null });
    click(fake.tray().menu, 'Start the runner');
    fake.children[0]?.emit('exit', 1);
    click(fake.tray().menu, 'Start the runner');
    expect(fake.children).toHaveLength(2);
  });

  it('is asked to stop when the app quits', async () => {
    fake = await startFake();
    fake.host.push({ runner: null });
    fake.clock.advance(runnerGraceMs);
    await fake.shell?.dispose();
    expect(fake.children[0]?.killed).toBe(true);
    expect(fake.clock.pending).toBe(0);
  });

  it('is not offered by a build from source, which has none beside it', async () => {
    fake = await startFake({ before: ({ app }) => void (app.isPackaged = false) });
    fake.host.push({ runner: null });
    fake.clock.advance(runnerGraceMs);
    expect(fake.children).toHaveLength(0);
    expect(labels()).not.toContain('Start the runner');
  });
});

describe('updates', () => {
  const updater = () => ({
    feeds: [] as object[],
    checks: 0,
    fails: false,
    updateConfigPath: null as string | null,
    autoInstallOnAppQuit: false,
    setFeedURL(feed: object) {
      this.feeds.push(feed);
    },
    async checkForUpdatesAndNotify() {
      this.checks += 1;
      if (this.fails) throw new Error('no network');
    },
  });
  const settle = async () => {
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  const feed = { version: 1, updateFeed: 'https://updates.example/interlock' };

  it('are looked for nowhere unless a feed is set; the updater is not even loaded', async () => {
    const fakeUpdater = updater();
    fake = await startFake({ updater: fakeUpdater });
    fake.clock.advance(checkEveryMs);
    await settle();
    expect(fakeUpdater.checks).toBe(0);
    expect(fake.notifications).toEqual([]);
  });

  it('are looked for at the feed, once a day', async () => {
    const fakeUpdater = updater();
    fake = await startFake({ settings: feed, updater: fakeUpdater });
    await settle();
    expect(fakeUpdater.feeds).toEqual([{ provider: 'generic', url: feed.updateFeed }]);
    expect(fakeUpdater.updateConfigPath).toBe('/app/assets/update/feed.yml');
    fake.clock.advance(checkEveryMs);
    await settle();
    expect(fakeUpdater.checks).toBe(2);
  });

  it('that cannot be read are told', async () => {
    const fakeUpdater = Object.assign(updater(), { fails: true });
    fake = await startFake({ settings: feed, updater: fakeUpdater });
    await settle();
    expect(fake.notifications.at(-1)?.options.body).toBe('The update feed could not be read.');
  });

  it.each(['http://updates.example/', 'https://user:secret@updates.example/', 'file:///tmp'])(
    'never come from %s',
    async (updateFeed) => {
      const fakeUpdater = updater();
      fake = await startFake({ settings: { version: 1, updateFeed }, updater: fakeUpdater });
      await settle();
      expect(fakeUpdater.checks).toBe(0);
    },
  );
});
