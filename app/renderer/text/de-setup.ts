import type { Catalogue } from './en.ts';
import { plural } from './format.ts';

/** Was zu tippen ist, wo kein Runner läuft; das Banner sagt dasselbe. */
export const startRunner =
  'Starten Sie ihn mit „interlock runner“ im Terminal oder auf Dauer mit „interlock service install“.';

/** Die ersten Schritte. */
export const guide: Catalogue['guide'] = {
  title: 'Erste Schritte',
  text: 'Agenten fragen hier, bevor ein Befehl läuft. Das braucht es dafür.',
  steps: {
    policy: 'Regeln, nach denen jeder fragen muss',
    passphrase: 'Eine Passphrase für den Weg aus der Sperre',
    runner: 'Der Runner zwischen Agenten und Ihrer Shell',
    agent: 'Ein Agent, der fragt',
    starter: 'Regeln für den Anfang, damit Sie seltener gefragt werden',
    'first-ask': 'Eine Anfrage, die Sie beantwortet haben',
  },
  hints: {
    policy: 'Rufen Sie „interlock init“ im Terminal auf: Danach muss jeder fragen.',
    passphrase: 'Rufen Sie „interlock passphrase“ im Terminal auf. Sie öffnet eine Sperre.',
    runner: startRunner,
    agent: 'Verbinden Sie einen: „interlock install claude“ oder „interlock install codex“.',
    'first-ask': 'Lösen Sie hier eine Anfrage aus und beantworten Sie sie.',
  },
  done: 'erledigt',
  open: 'offen',
  try: 'Mit einer echten Anfrage ausprobieren',
  trying: 'Wird gefragt',
  tryText: 'Sie führt „echo“ aus und ändert nichts. Sie entscheiden.',
  skip: 'Überspringen',
  passphrase: 'Passphrase',
  passphraseAgain: 'Noch einmal',
  passphraseSet: 'Passphrase setzen',
  passphraseDiffers: 'Die beiden sind nicht gleich',
  passphraseText:
    'Ein paar Wörter, die nur Sie so zusammenstellen. Sie öffnen eine Sperre und werden selbst nirgends abgelegt.',
  finishedTitle: 'Das war alles',
  finishedText: 'Anfragen kommen ab jetzt von selbst hierher. Der Verlauf hält jede Antwort fest.',
  close: 'Erste Schritte schließen',
};

/** Was für eine Weile erlaubt ist. */
export const grants: Catalogue['grants'] = {
  title: 'Für eine Weile erlaubt',
  oneCommand: 'Genau ein Befehl',
  everySession: 'jede Sitzung',
  session: (name) => `Sitzung ${name}`,
  untilRestart: 'bis der Runner neu startet',
  untilEnd: 'bis die Sitzung endet',
  left: (time) => `noch ${time}`,
  revoke: 'Zurücknehmen',
};

/** Wozu eine Person eine Sitzung erweitert hat, oben in jeder Ansicht. */
export const elevation: Catalogue['elevation'] = {
  title: 'Für eine Weile erweitert',
  session: (name) => `Sitzung ${name}`,
  times: (since, until) => `seit ${since}, bis ${until}`,
  left: (time) => `noch ${time}`,
  end: 'Beenden',
  endOf: (agent, session) => `Beenden: ${agent}, Sitzung ${session}`,
  announce: (agent) => `Eine Sitzung von ${agent} hat für eine Weile mehr Rechte.`,
};

/** Regeln für den Anfang, in den ersten Schritten und im Editor. */
export const starters: Catalogue['starters'] = {
  title: 'Regeln für den Anfang',
  sets: {
    'look-around': {
      title: 'Umsehen',
      says: 'Programme, die nur lesen, Git, wo es nur liest, und was GitHub zeigt.',
    },
    project: {
      title: 'An diesem Projekt arbeiten',
      says: 'Seine Tests, Builds, Prüfer und Formatierer, Git auf diesem Rechner und Änderungen darin. Ein Agent, der Tests ändert und startet, startet eigenen Code: Wie weit der reicht, begrenzt die Sandbox.',
    },
  },
  set: 'Was Agenten ungefragt dürfen',
  folder: 'In diesem Projekt und darunter',
  folderHelp:
    'Der Ordner eines Projekts, etwa ~/src/app. Nach Geheimnissen und Einstellungen darin wird weiter gefragt.',
  folderProblem: 'Der Ordner beginnt mit / oder ~/.',
  looking: 'Es wird geprüft, was davon gedeckt wäre',
  covers: {
    history: (n, of) => `Hätte ${n} der ${of} Befehle gedeckt, die hier liefen`,
    sample: (n, of) => `Deckt ${n} von ${of} Befehlen eines gewöhnlichen Tages`,
  },
  left: 'Wonach Sie weiter gefragt würden',
  rules: (n) => plural(n, '1 Regel', `${n} Regeln`),
  use: (n) => plural(n, 'Diese Regel nehmen', `Diese ${n} Regeln nehmen`),
  using: 'Wird hinzugefügt',
  nothing: 'Das alles steht schon in den Regeln.',
  version: (n) => `Fassung ${n}`,
  used: (n) => plural(n, 'einmal benutzt', `${n}-mal benutzt`),
  noFolder: 'ein Ordner, den keine Regel mehr nennt',
  add: 'Satz hinzufügen',
  addTitle: 'Regeln für den Anfang hinzufügen',
  updateTitle: (set) => `„${set}“ auf den neuen Stand bringen`,
  updateText:
    'Was diese Fassung von Interlock ändern würde, Regel für Regel. Auch Regeln, die Sie von Hand geändert oder entfernt haben, sind dabei.',
  added: 'Kommt',
  removed: 'Geht',
  update: (version) => `Auf Fassung ${version} bringen`,
  compare: 'Vergleichen',
  accept: 'Änderung annehmen',
  off: 'Abschalten',
  show: 'Regeln zeigen',
  hide: 'Regeln ausblenden',
  offDone: (set) => `„${set}“ ist aus, sobald Sie sichern.`,
};

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
