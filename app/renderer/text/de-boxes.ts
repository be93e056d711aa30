import type { Catalogue } from './en.ts';
import { plural } from './format.ts';

/** Named boxes: what goes on in them, and how they are ended. */
export const boxes: Catalogue['boxes'] = {
  title: 'Boxen',
  none: 'Es gibt keine Boxen',
  noneText:
    'Eine Box ist eine Sandbox, die bleibt, mit einem Agenten im eigenen Terminal. Eine anlegen:',
  running: 'Läuft',
  stopped: 'Angehalten',
  unfinished: 'Mittendrin abgebrochen',
  unfinishedText: 'Etwas wurde mit ihr begonnen und nicht beendet. In Ordnung bringen:',
  locked: 'Gesperrt',
  lockedText: 'Nichts von ihr startet, bis ein Mensch die Sperre aufhebt:',
  networks: {
    none: 'kein Netz',
    restricted: 'nur die Hosts ihrer Vorlage',
    full: 'das Netz dieses Rechners',
  },
  template: (name) => `Vorlage ${name}`,
  started: (when) => `gestartet ${when}`,
  windows: 'Fenster',
  ended: 'beendet',
  attached: (n) => plural(n, 'an 1 Terminal gezeigt', `an ${n} Terminals gezeigt`),
  asks: (n) => plural(n, '1 Anfrage wartet', `${n} Anfragen warten`),
  output: 'Ausgabe',
  outputOf: (window, name) => `Was ${window} von ${name} geschrieben hat`,
  noOutput: 'Noch nichts.',
  outputNote:
    'Die letzten Zeilen der Fenster, mit denen die Box begonnen hat. Was später geöffnete Fenster schreiben, wird nicht aufbewahrt.',
  toStart: 'Starten:',
  toAttach: 'Zu ihren Fenstern:',
  start: 'Starten',
  starting: 'Startet',
  stop: 'Anhalten …',
  stopTitle: (name) => `${name} anhalten`,
  stopText:
    'Alles darin endet, samt dem, was in /tmp und ihrem Home-Verzeichnis liegt. Arbeitsverzeichnis und Name bleiben.',
  stopNow: 'Box anhalten',
  lock: 'Sperren …',
  lockTitle: (name) => `${name} sperren`,
  lockText:
    'Alles darin wird sofort beendet, und nichts von ihr startet, bis ein Mensch sie an einem Terminal entsperrt. Alles andere läuft weiter.',
  lockNow: 'Box sperren',
  cancel: 'Abbrechen',
};
