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

/** Other machines: who is paired, who waits to be, and this machine as a node of another. */
export const nodes: Catalogue['nodes'] = {
  title: 'Rechner',
  listening: (at) => `Andere Rechner dürfen sich mit ${at} verbinden.`,
  notListening: 'Kein anderer Rechner darf sich verbinden: config.json enthält kein nodes.listen.',
  calling: (by) => `Andere Rechner kommen über: ${by}.`,
  none: 'Kein Rechner ist gekoppelt',
  noneText:
    'Geben Sie das auf dem anderen Rechner ein, und vergleichen Sie den Code dort mit dem, der hier erscheint:',
  waiting: 'Warten auf die Kopplung',
  waitingText: (name) =>
    `Auch ${name} zeigt einen Code. Kopple nur, wenn beide Buchstabe für Buchstabe gleich sind.`,
  known: 'Er war schon gekoppelt und hat noch denselben Schlüssel.',
  from: (address, version) => `${address === null ? '' : `von ${address} · `}Interlock ${version}`,
  left: (clock) => `noch ${clock}`,
  pair: 'Koppeln …',
  decline: 'Ablehnen',
  pairTitle: (name) => `Zeigt ${name} diesen Code?`,
  pairText:
    'Sieh auf dem anderen Rechner nach. Weicht sein Code auch nur in einem Buchstaben ab, steht jemand dazwischen: Lehne ab.',
  same: 'Er ist gleich: koppeln',
  cancel: 'Abbrechen',
  paired: 'Gekoppelte Rechner',
  online: 'Verbunden',
  offline: 'Nicht verbunden',
  removed: 'Entfernt',
  locked: 'Gesperrt',
  lockWaits: 'Noch nicht gesperrt',
  unlocked: 'Wieder entsperrt',
  gateways: 'Gateways der Flotte',
  firstGateway: 'Erstes Gateway',
  thisMachine: 'Dieser Rechner',
  links: (machines) => {
    if (machines === 0) return 'kein Rechner ist mit ihm verbunden';
    return machines === 1
      ? 'ein Rechner ist mit ihm verbunden'
      : `${machines} Rechner sind mit ihm verbunden`;
  },
  linksUnknown: 'kein Rechner hier sagt etwas darüber',
  lostLink: (gateway) => `Keine Verbindung mit ${gateway ?? 'dem ersten Gateway'}`,
  ownFurther: 'Seine weiteren Gateways',
  seen: (when) => `gesehen ${when}`,
  neverSeen: 'nie gesehen',
  policy: (hash) => (hash === null ? 'keine Richtlinie' : `Richtlinie ${hash}`),
  showPolicy: 'Regeln…',
  policyTitle: (name: string) => `Regeln von ${name}`,
  back: 'Zurück',
  mayEdit:
    'Danach wird auf jenem Rechner entschieden, und was hier gesichert wird, gilt dort sofort. Jener Rechner erlaubt diesem, sie zu bearbeiten.',
  mayRead:
    'Danach wird auf jenem Rechner entschieden. Er zeigt es, und lässt es diesen Rechner nicht bearbeiten.',
  remove: 'Entfernen',
  removeTitle: (name) => `${name} entfernen`,
  removeText:
    'Seine Verbindung endet jetzt, und erst nach einer neuen Kopplung darf er wieder herein.',
  own: (name, gateway) => `Dieser Rechner gehört zu ${gateway} und heißt dort ${name}.`,
  connected: 'Er ist verbunden.',
  notConnected: 'Er ist nicht verbunden und versucht es weiter.',
  given: 'Er ist nicht verbunden und versucht es nicht mehr. Kopple ihn neu.',
};

/** Was mit einem Rechner nicht stimmt. */
export const nodeProblems: Catalogue['codes']['nodeProblems'] = {
  'not-proven':
    'Jemand kam unter seiner Kennung und konnte nicht beweisen, dieser Rechner zu sein.',
  'too-often': 'Er verbindet sich immer wieder neu, wie es zwei Kopien eines Rechners tun.',
  'ended-badly': 'Seine Verbindung wurde getrennt, weil nicht stimmte, was er sagte.',
  'no-policy': 'Er hat keine Regeln, die er verwenden kann, und führt nichts aus.',
  older: 'Sein Interlock ist älter als das dieses Rechners.',
  'bounds-behind': 'Die neuesten Grenzen des Verbunds hat er noch nicht übernommen.',
  'lockout-behind':
    'Von der letzten Sperre des Verbunds, oder von ihrem Ende, hat er noch nichts gehört.',
};
