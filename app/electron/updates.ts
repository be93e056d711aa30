import type { Clock } from '../../shared/base/index.ts';

/** The part of `electron-updater` that is used. */
export interface Updater {
  updateConfigPath: string | null;
  autoInstallOnAppQuit: boolean;
  setFeedURL(feed: { readonly provider: 'generic'; readonly url: string }): void;
  checkForUpdatesAndNotify(): Promise<unknown>;
}

interface UpdatesOptions {
  /** Loads the updater; called only when there is a feed. */
  readonly load: () => Promise<Updater>;
  /** The updater's own settings file, in the app's assets. */
  readonly configFile: string;
  readonly clock: Clock;
  readonly failed: () => void;
}

/** Milliseconds between two checks of the feed. */
export const checkEveryMs = 24 * 60 * 60_000;

/** Looks for updates at a feed, daily, while one is set. Without a feed nothing is ever loaded. */
interface Updates {
  readonly follow: (feed: string | null) => void;
  readonly dispose: () => void;
}

export function createUpdates(options: UpdatesOptions): Updates {
  let followed: string | null = null;
  let cancel = (): void => undefined;

  const check = async (feed: string): Promise<void> => {
    try {
      const updater = await options.load();
      if (followed !== feed) return;
      updater.updateConfigPath = options.configFile;
      updater.autoInstallOnAppQuit = true;
      updater.setFeedURL({ provider: 'generic', url: feed });
      await updater.checkForUpdatesAndNotify();
    } catch {
      options.failed();
    }
  };
  const look = (feed: string): void => {
    cancel = options.clock.after(checkEveryMs, () => look(feed));
    void check(feed);
  };

  return {
    follow: (feed) => {
      if (feed === followed) return;
      cancel();
      followed = feed;
      if (feed !== null) look(feed);
    },
    dispose: () => {
      followed = null;
      cancel();
    },
  };
}
