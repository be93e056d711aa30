import type { Catalogue } from './en.ts';

/** Secrets that are kept by name: what they are for, never what they are. */
export const secrets: Catalogue['secrets'] = {
  title: 'Geheimnisse',
  help: 'Werkzeuge und Header verwenden sie für Agenten, und kein Agent kann eines lesen. Im Terminal hinterlegen:',
  none: 'Es ist kein Geheimnis hinterlegt.',
  kept: (when) => `hinterlegt ${when}`,
  lastUsed: (when, by) => (by === null ? `verwendet ${when}` : `verwendet ${when} von ${by}`),
  neverUsed: 'nie verwendet',
  noUse: 'Hier bezieht sich nichts darauf.',
  missing: (name) => `Es ist noch nicht hinterlegt: interlock secret set ${name}`,
  uses: {
    tool: (of) => `für das vermittelte Werkzeug ${of}`,
    header: (of) => `in einem Header für ${of}`,
    service: (of) => `für den Dienst ${of}`,
    'github-app': (of) => `zur Anmeldung bei ${of}`,
    agent: (of) => `Schlüssel von ${of} bei interlock wrap`,
  },
  keep: 'Behalten',
  remove: 'Entfernen',
  removeTitle: (name) => `Geheimnis „${name}“ entfernen`,
  removeText:
    'Was es verwendet, geht nicht mehr. Dort, wo es herkommt, gilt es weiter: Widerrufe es auch dort.',
};
