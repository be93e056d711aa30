import { askerOf } from '../../../shared/engine/index.ts';
import { useEffect, useRef, useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import { actionOf } from '../../bridge/keys.ts';
import { AllowlistView } from '../allowlist/AllowlistView.tsx';
import { BoxesView } from '../boxes/BoxesView.tsx';
import { DeviceScreen, useIsBehindScreen } from '../device/DeviceScreen.tsx';
import { PushOffer } from '../device/PushOffer.tsx';
import { isDevicePage } from '../device/identity.ts';
import { HistoryView } from '../history/HistoryView.tsx';
import { LockedPanel } from '../lockout/LockedPanel.tsx';
import { lockOut } from '../lockout/LockoutButton.tsx';
import { NodesView } from '../nodes/NodesView.tsx';
import { Announcer, announce } from '../primitives/Announcer.tsx';
import { AsksView } from '../queue/AsksView.tsx';
import { KeysDialog } from '../settings/KeysDialog.tsx';
import { SettingsView } from '../settings/SettingsView.tsx';
import { useApp, useMode } from '../state/app.ts';
import { isTyping, startFocusGuard } from '../state/focus.ts';
import { useText } from '../state/preferences.ts';
import { HealthView } from '../views/HealthView.tsx';
import { MissedView } from '../views/MissedView.tsx';
import { Banners } from './Banners.tsx';
import { Elevations } from './Elevations.tsx';
import { Header } from './Header.tsx';
import { Navigation } from './Navigation.tsx';
import { Palette } from './Palette.tsx';
import { aspectOf } from './Signal.tsx';
import './shell.css';

const longestSpoken = 240;

/** Announces each new ask once, and each that ended without an answer from here. */
function useAnnouncements(): void {
  const text = useText();
  const queue = useApp((model) => model.state?.queue);
  const missed = useApp((model) => model.state?.missed);
  const selected = useApp((model) => model.selected);
  const known = useRef(new Set<string>());
  const lastMissed = useRef<string | null | undefined>(undefined);

  useEffect(() => {
    const fresh = (queue ?? []).filter(({ ask }) => !known.current.has(ask.id));
    known.current = new Set((queue ?? []).map(({ ask }) => ask.id));
    const shown = fresh.find(({ ask }) => ask.id === selected);
    if (shown !== undefined) {
      const { command, kind } = shown.ask;
      const spoken = displayPlain(command).slice(0, longestSpoken);
      announce(
        text.prompt.announce(
          displayPlain(askerOf(shown.ask, text.prompt.unproven)),
          text.prompt.wants[kind],
          spoken,
        ),
      );
    } else if (fresh.length > 0) announce(text.shell.waiting(queue?.length ?? 0));
  }, [queue, selected, text]);

  useEffect(() => {
    if (missed === undefined) return;
    const newest = missed[0];
    const id = newest?.ask.id ?? null;
    if (lastMissed.current !== undefined && newest !== undefined && lastMissed.current !== id) {
      announce(text.prompt.gone(text.missed.reasons[newest.reason]));
    }
    lastMissed.current = id;
  }, [missed, text]);
}

/** Keeps the window's title and icon in step with the state of the gate. */
function useTitle(): void {
  const text = useText();
  const waiting = useApp((model) => model.state?.queue.length ?? 0);
  const aspect = useApp((model) => aspectOf(model.state, model.link));
  useEffect(() => {
    const word = aspect === 'asks' ? text.title.asks(waiting) : text.mode[aspect];
    document.title = `${word} · ${text.app}`;
    const icon = document.querySelector('link[rel="icon"]');
    const href = icon?.getAttribute('href') ?? '';
    icon?.setAttribute('href', href.replace(/signal-\w+/, `signal-${aspect}`));
  }, [aspect, waiting, text]);
}

startFocusGuard();

const contents = {
  asks: AsksView,
  allowlist: AllowlistView,
  history: HistoryView,
  missed: MissedView,
  boxes: BoxesView,
  nodes: NodesView,
  health: HealthView,
  settings: SettingsView,
};

function showPalette(shown: boolean): void {
  useApp.setState({ palette: shown });
}

/** The whole page: the state of the gate, the views, and the lockout, always within reach. */
export function App() {
  const text = useText();
  const view = useApp((model) => model.view);
  const alone = useApp((model) => model.alone);
  const locked = useMode() === 'locked';
  const [keys, setKeys] = useState(false);
  const palette = useApp((model) => model.palette);
  const Content = contents[view];
  const isBehindScreen = useIsBehindScreen(isDevicePage());
  useTitle();
  useAnnouncements();
  useEffect(() => {
    const down = (event: KeyboardEvent): void => {
      const opens = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
      if (opens && !event.altKey && !event.shiftKey) {
        const model = useApp.getState();
        event.preventDefault();
        // Another dialog holds something that is not done yet.
        if (model.palette) showPalette(false);
        else if (!model.alone && document.querySelector('dialog[open]') === null) showPalette(true);
        return;
      }
      if (isTyping(event.target)) return;
      const action = actionOf(event);
      if (action?.type === 'help') setKeys(true);
      if (action?.type === 'lockout') void lockOut();
    };
    document.addEventListener('keydown', down);
    return () => document.removeEventListener('keydown', down);
  }, []);

  if (isBehindScreen) return <DeviceScreen />;
  return (
    <div className="page" data-locked={locked} data-alone={alone}>
      <a
        className="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>('#main')?.focus();
        }}
      >
        {text.shell.skip}
      </a>
      <Header />
      {!alone && <Navigation />}
      <main id="main" className={`main main-${view}`} tabIndex={-1}>
        <Banners />
        {!alone && <Elevations />}
        <PushOffer />
        {locked && <LockedPanel />}
        <Content />
      </main>
      {palette && <Palette onClose={() => showPalette(false)} onKeys={() => setKeys(true)} />}
      {keys && <KeysDialog onClose={() => setKeys(false)} />}
      <Announcer />
    </div>
  );
}
