import { createRoot } from 'react-dom/client';
import '../../app/renderer/style/tokens.css';
import '../../app/renderer/style/base.css';
import '../../app/renderer/style/controls.css';
import { App } from '../../app/renderer/shell/App.tsx';
import { startApp } from '../../app/renderer/state/app.ts';
import { startPreferences } from '../../app/renderer/state/preferences.ts';
import { fakeConnection } from './fake-bridge.ts';
import { scenarios } from './scenarios.ts';

const root = document.querySelector('#app');
if (root === null) throw new Error('The page has no #app.');

/** `?scenario=name` shows one state of the app; without it, all of them are listed. */
const scenario = scenarios[new URLSearchParams(location.search).get('scenario') ?? ''];
startPreferences();
if (scenario === undefined) {
  createRoot(root).render(
    <ul>
      {Object.keys(scenarios).map((name) => (
        <li key={name}>
          <a href={`?scenario=${name}`}>{name}</a>
        </li>
      ))}
    </ul>,
  );
} else {
  startApp(fakeConnection(scenario));
  createRoot(root).render(<App />);
}
