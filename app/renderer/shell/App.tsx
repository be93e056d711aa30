import { useEffect, useState } from 'react';
import { actionOf } from '../../bridge/keys.ts';
import { AllowlistView } from '../allowlist/AllowlistView.tsx';
import { HealthView } from '../health/HealthView.tsx';
import { HistoryView } from '../history/HistoryView.tsx';
import { LockedPanel } from '../lockout/LockedPanel.tsx';
import { lockOut } from '../lockout/lock-out.ts';
import { MissedView } from '../missed/MissedView.tsx';
import { Announcer } from '../primitives/Announcer.tsx';
import { AsksView } from '../queue/AsksView.tsx';
import { KeysDialog } from '../settings/KeysDialog.tsx';
import { SettingsView } from '../settings/SettingsView.tsx';
import { useApp } from '../state/app.ts';
import { startFocusGuard } from '../state/focus.ts';
import { isTyping } from '../state/keyboard.ts';
import { useMode } from '../state/mode.ts';
import { useText } from '../state/preferences.ts';
import { Banners } from './Banners.tsx';
import { Header } from './Header.tsx';
import { Navigation } from './Navigation.tsx';
import { useAnnouncements } from './useAnnouncements.ts';
import { useTitle } from './useTitle.ts';
import './shell.css';

startFocusGuard();

const contents = {
  asks: AsksView,
  allowlist: AllowlistView,
  history: HistoryView,
  missed: MissedView,
  health: HealthView,
  settings: SettingsView,
};

/** The whole page: what state the gate is in, the views, and the lockout within reach of each. */
export function App() {
  const text = useText();
  const view = useApp((model) => model.view);
  const locked = useMode() === 'locked';
  const [keys, setKeys] = useState(false);
  const Content = contents[view];
  useTitle();
  useAnnouncements();
  useEffect(() => {
    const down = (event: KeyboardEvent): void => {
      if (isTyping(event.target)) return;
      const action = actionOf(event);
      if (action?.type === 'help') setKeys(true);
      if (action?.type === 'lockout') void lockOut();
    };
    document.addEventListener('keydown', down);
    return () => document.removeEventListener('keydown', down);
  }, []);

  return (
    <div className="page" data-locked={locked}>
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
      <Navigation />
      <main id="main" className={`main main-${view}`} tabIndex={-1}>
        <Banners />
        {locked && <LockedPanel />}
        <Content />
      </main>
      {keys && <KeysDialog onClose={() => setKeys(false)} />}
      <Announcer />
    </div>
  );
}
