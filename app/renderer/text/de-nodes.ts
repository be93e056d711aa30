import type { Catalogue } from './en.ts';

/** Other machines: who is paired, who waits to be, and this machine as a node of another. */
export const nodes: Catalogue['nodes'] = {
  title: 'Rechner',
  listening: (at) => `Andere Rechner dürfen sich mit ${at} verbinden.`,
  notListening: 'Kein anderer Rechner darf sich verbinden: config.json enthält kein nodes.listen.',
  none: 'Kein Rechner ist gekoppelt',
  noneText:
    'Gib das auf dem anderen Rechner ein, und vergleiche den Code dort mit dem, der hier erscheint:',
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
