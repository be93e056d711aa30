import { Icon } from '../primitives/Icon.tsx';
import { useApp } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { views } from '../state/app.ts';

/** The settings are reached from the header. */
const listed = views.filter((view) => view !== 'settings');

/** What a device may read. */
const onDevices = {
  lockout: [],
  answer: ['asks', 'missed'],
  everything: ['asks', 'history', 'missed', 'health'],
} as const satisfies Record<string, readonly (typeof views)[number][]>;

/** The views, with the number of asks that wait. */
export function Navigation() {
  const text = useText();
  const current = useApp((model) => model.view);
  const show = useApp((model) => model.show);
  const waiting = useApp((model) => model.state?.queue.length ?? 0);
  const rights = useApp((model) => model.state?.device?.rights);
  const shown = rights === undefined ? listed : onDevices[rights];
  return (
    <nav className="navigation" aria-label={text.shell.navigation}>
      <ul>
        {shown.map((view) => (
          <li key={view}>
            <a
              href={`#/${view}`}
              className="navigation-link"
              aria-current={view === current ? 'page' : undefined}
              onClick={(event) => {
                event.preventDefault();
                show(view);
              }}
            >
              <Icon name={view} />
              <span className="navigation-word">{text.views[view]}</span>
              {view === 'asks' && waiting > 0 && (
                <span className="count" title={text.shell.waiting(waiting)}>
                  {waiting}
                  <span className="visually-hidden"> {text.shell.waiting(waiting)}</span>
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
