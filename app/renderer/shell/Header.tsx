import { LockoutButton } from '../lockout/LockoutButton.tsx';
import { Button } from '../primitives/Button.tsx';
import { Signal } from './Signal.tsx';
import { useApp } from '../state/app.ts';
import { callOrShow } from '../state/app.ts';
import { useMode } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { useToast } from '../state/toast.ts';
import { aspectOf } from './Signal.tsx';
import { ToastLine, WaitingLine } from './Toast.tsx';

const isMac = navigator.platform.startsWith('Mac');

/** What waits elsewhere and what has just happened, or else what goes on. */
function Detail() {
  const text = useText();
  const running = useApp((model) => model.state?.runner?.running ?? 0);
  const waiting = useApp((model) => model.state?.queue.length ?? 0);
  const isElsewhere = useApp((model) => model.view !== 'asks' && model.link === 'open');
  const toast = useToast((model) => model.toast !== null);
  const isWaiting = isElsewhere && waiting > 0;
  if (toast || isWaiting)
    return (
      <>
        {isWaiting && <WaitingLine />}
        {toast && <ToastLine />}
      </>
    );
  return (
    <p className="header-detail faint">
      {running > 0
        ? text.mode.running(running)
        : waiting > 0
          ? text.shell.waiting(waiting)
          : text.app}
    </p>
  );
}

/** The state of the gate as a symbol and a word, with pause and lockout beside it. */
export function Header() {
  const text = useText();
  const state = useApp((model) => model.state);
  const link = useApp((model) => model.link);
  const aspect = aspectOf(state, link);
  const runner = state?.runner ?? null;
  const view = useApp((model) => model.view);
  const show = useApp((model) => model.show);
  const isDesk = useApp((model) => !model.alone && model.state?.device === undefined);
  const mode = useMode();
  const paused = mode === 'paused';
  const word =
    link === 'connecting'
      ? text.mode.connecting
      : link !== 'open'
        ? text.mode.lost
        : text.mode[mode === null || mode === 'runner-gone' ? 'gone' : mode];
  return (
    <header className="header">
      <div className="header-state" data-aspect={aspect}>
        <Signal aspect={aspect} size={24} />
        <div>
          <h1 className="header-name">
            <span className="visually-hidden">{text.app}: </span>
            {word}
          </h1>
          <Detail />
        </div>
      </div>
      <div className="header-actions">
        {isDesk && (
          <Button
            look="plain"
            icon="search"
            className="header-palette"
            aria-label={text.palette.open}
            aria-keyshortcuts="Control+K Meta+K"
            title={`${text.palette.open} (${isMac ? '⌘K' : 'Ctrl+K'})`}
            onClick={() => useApp.setState({ palette: true })}
          />
        )}
        {isDesk && (
          <Button
            look="plain"
            icon="settings"
            aria-label={text.shell.settings}
            title={text.shell.settings}
            aria-current={view === 'settings' ? 'page' : undefined}
            onClick={() => show(view === 'settings' ? 'asks' : 'settings')}
          />
        )}
        {runner !== null && mode !== 'locked' && link === 'open' && (
          <Button
            icon={paused ? 'resume' : 'pause'}
            className="header-pause"
            data-guarded={paused ? '' : undefined}
            onClick={() => {
              if (paused) void callOrShow('resume', {});
              else void callOrShow('pause', { reason: text.mode.pauseReason });
            }}
          >
            <span>{paused ? text.mode.resume : text.mode.pause}</span>
          </Button>
        )}
        <LockoutButton />
      </div>
    </header>
  );
}
