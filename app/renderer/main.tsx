import { createRoot } from 'react-dom/client';
import './style/tokens.css';
import './style/base.css';
import './style/controls.css';
import { deviceConnection } from './device/connection.ts';
import { isDevicePage } from './device/identity.ts';
import { consoleConnection } from './state/connection.ts';
import { preloadConnection } from './state/connection.ts';
import { startNotifying } from './notify/notify.ts';
import { App } from './shell/App.tsx';
import { startApp } from './state/app.ts';
import { startPreferences } from './state/preferences.ts';

const root = document.querySelector('#app');
if (root === null) throw new Error('The page has no #app.');

startPreferences();
startApp(
  window.interlock !== undefined
    ? preloadConnection(window.interlock)
    : isDevicePage()
      ? deviceConnection()
      : consoleConnection(),
);
startNotifying();
createRoot(root).render(<App />);
