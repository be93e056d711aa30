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
  toAttach: 'Zu ihren Fenstern, von einem Terminal aus:',
  attach: 'Verbinden',
  attachAgain: 'Wieder verbinden',
  backToBoxes: 'Alle Boxen',
  terminalTitle: (name) => `Box ${name}`,
  terminalOf: (name) => `Terminal von ${name}`,
  terminalKeys:
    'Strg-B d verlässt die Box, und sie läuft weiter. Umschalt mit der Maus markiert Text, Strg-Umschalt-C kopiert ihn. Umschalt-F6 führt weiter auf die Seite.',
  terminal: {
    attaching: 'Wird verbunden …',
    attached: 'Verbunden. Was Sie tippen, geht an diese Box und wird nicht protokolliert.',
    lost: 'Die Verbindung ist abgerissen; wird wieder verbunden …',
  },
  ends: {
    left: 'Sie haben die Box verlassen. Sie läuft weiter.',
    detached: 'Sie haben ihre Fenster verlassen, oder sie sind beendet. Die Box läuft weiter.',
    stopped: 'Die Box wurde angehalten.',
    gone: 'Die Box wurde aufgelöst und ist nicht mehr da.',
    locked: 'Die Box wurde gesperrt. In ihr läuft nichts mehr.',
    lockout: 'Alles wurde gesperrt. In der Box läuft nichts mehr.',
    unread: 'Die Seite hat nicht gelesen, was die Box schrieb. Die Box läuft weiter.',
    runner: 'Der Runner wurde beendet. Die Box läuft weiter.',
  },
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
