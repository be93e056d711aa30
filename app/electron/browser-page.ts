import { refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import type { BridgeCall, BridgeCalls, BridgeResult } from '../bridge/types.ts';
import { dropLink, keepLink, redirectPath } from '../console/link.ts';
import type { Console, ConsoleOptions } from '../console/server.ts';
import type { OpenInBrowser, UiHost } from '../host/types.ts';

/** What the person went to their browser for. */
export type Errand = BridgeCalls['openInBrowser']['args'];

/** How long the way to the browser is open, in milliseconds: a click leads there at once. */
export const browserLinkTtlMs = 2 * 60_000;

interface BrowserPageOptions {
  readonly paths: HomePaths;
  readonly clock: Clock;
  /** What the page sees and calls; its calls go through the guards of the app's own windows. */
  readonly host: Pick<UiHost, 'handle' | 'subscribe' | 'door'>;
  /** Serves the page on loopback. */
  readonly serve: (
    options: Pick<ConsoleOptions, 'host' | 'clock' | 'linkTtlMs' | 'onLinkUsed'>,
  ) => Promise<Console>;
  /** Has the system open this file in the person's browser. */
  readonly openFile: (path: string) => void;
  /** What the person went there for is done. */
  readonly onDone: (errand: Errand) => void;
}

/** The page in the person's browser, beside the app's own windows: passkeys work there. */
export interface BrowserPage {
  readonly open: OpenInBrowser;
  /** A fresh link for a second start that asks; null before the person went there once. */
  readonly link: () => string | null;
  readonly dispose: () => Promise<void>;
}

/**
 * The console's page, served on loopback from the first time that the person wants it until the app
 * ends. The link is handed over in a file that only its owner reads, and holds once, for two minutes.
 */
export function createBrowserPage(options: BrowserPageOptions): BrowserPage {
  const { paths, clock, host } = options;
  let serving: Promise<Console> | null = null;
  let served: Console | null = null;
  let errand: Errand | null = null;
  let forget = (): void => undefined;

  const drop = (): void => {
    forget();
    dropLink(paths);
  };
  const handle = async (name: string, args: unknown): Promise<BridgeResult<BridgeCall>> => {
    // The way is from the app's windows to the browser, and makes a link: none leads on from there.
    if (name === 'openInBrowser') return { ok: false, refusal: isThere };
    const answer = await host.handle(name, args);
    const done = errand;
    if (done !== null && isDone(done, { name, args, answer })) {
      errand = null;
      options.onDone(done);
    }
    return answer;
  };
  const start = async (): Promise<Console> => {
    const how = { clock, linkTtlMs: browserLinkTtlMs, onLinkUsed: drop };
    served = await options.serve({ ...how, host: { ...host, handle } });
    return served;
  };
  const console = (): Promise<Console> => {
    serving ??= start().catch((error: unknown) => {
      serving = null;
      throw error;
    });
    return serving;
  };
  const freshLink = (shown: Console, view?: string): string => {
    forget();
    const link = shown.newLink(view);
    keepLink(paths, link);
    forget = clock.after(browserLinkTtlMs, drop);
    return link;
  };

  return {
    open: async (wanted) => {
      const shown = await console();
      freshLink(shown, viewOf(wanted));
      errand = wanted;
      options.openFile(redirectPath(paths));
      return { address: `http://localhost:${shown.port}/` };
    },
    link: () => (served === null ? null : freshLink(served)),
    dispose: async () => {
      if (serving === null) return;
      drop();
      await serving.then((shown) => shown.dispose()).catch(() => undefined);
    },
  };
}

const isThere = refuse(
  'invalid-request',
  'This page is in a browser already.',
  'Go on here, or click in a window of the app.',
).refusal;

/** The view that the browser shows first, as the page's address names it. */
function viewOf({ errand, id }: Errand): string {
  if (errand === 'passkeys') return '/settings/passkeys';
  return id === undefined ? '/asks' : `/asks/${encodeURIComponent(id)}`;
}

/** The calls with which an errand ends, where they succeed. */
const endings: Readonly<Record<Errand['errand'], readonly string[]>> = {
  ask: ['answer'],
  passkeys: ['addPasskey'],
  unlock: ['unlockWithPasskey', 'unlock'],
};

function isDone(
  { errand, id }: Errand,
  call: {
    readonly name: string;
    readonly args: unknown;
    readonly answer: BridgeResult<BridgeCall>;
  },
): boolean {
  if (!call.answer.ok || !endings[errand].includes(call.name)) return false;
  if (errand !== 'ask') return true;
  const { result } = call.answer;
  // A call that succeeded had arguments of its schema.
  const answered = (call.args as BridgeCalls['answer']['args']).id;
  return answered === id && 'accepted' in result && result.accepted === true;
}
