import { Icon } from '../primitives/Icon.tsx';
import { useApp } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { views } from '../state/app.ts';

/** The settings are reached from the header. */
const listed = views.filter((view) => view !== 'settings');

/** The views, with the number of asks that wait. */
export function Navigation() {
  const text = useText();
  const current = useApp((model) => model.view);
  const show = useApp((model) => model.show);
  const waiting = useApp((model) => model.state?.queue.length ?? 0);
  return (
    <nav className="navigation" aria-label={text.shell.navigation}>
      <ul>
        {listed.map((view) => (
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
