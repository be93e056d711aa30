import type { Catalogue } from './en.ts';

/** Passkeys: the list, one more, one less, and what they open. */
export const passkeys: Catalogue['passkeys'] = {
  title: 'Passkeys',
  help: 'Ein Fingerabdruck, ein Gesicht, eine PIN oder ein Sicherheitsschlüssel. Er bestätigt Befehle, die Schaden anrichten können, beendet eine Sperre und öffnet diese Seite wieder ohne neuen Link.',
  made: (when) => `angelegt ${when}`,
  lastUsed: (when) => `benutzt ${when}`,
  neverUsed: 'nie benutzt',
  add: 'Passkey hinzufügen',
  remove: 'Entfernen',
  notHere: 'Passkeys funktionieren in der Browser-Konsole unter localhost: interlock ui --console',
  addInBrowser: 'Passkey im Browser hinzufügen',
  allowInBrowser: 'Im Browser erlauben',
  unlockInBrowser: 'Im Browser entsperren',
  whyBrowser: 'Passkeys funktionieren in Ihrem Browser, nicht in diesem Fenster.',
  inBrowser: 'Es geht in Ihrem Browser weiter.',
  notOpened: 'Falls sich nichts geöffnet hat: Ein Passkey öffnet',
  linkBy: 'Falls sich nichts geöffnet hat, gibt das einen Link aus:',
  noneYet: 'Das kann nur ein Passkey erlauben, und es gibt noch keinen.',
  needsRunner: 'Der Runner verwahrt die Passkeys und antwortet nicht.',
  needsUnlock: 'Solange alles gesperrt ist, können Passkeys nicht geändert werden.',
  needsPassphrase: 'Erst eine Passphrase setzen: interlock passphrase',
  addTitle: 'Passkey hinzufügen',
  addText:
    'Der Browser fragt nach Fingerabdruck, PIN oder Sicherheitsschlüssel. Das Geheimnis bleibt dort.',
  name: 'Name',
  nameHelp: 'Woran Sie ihn erkennen: Laptop, blauer Schlüssel.',
  nameTaken: 'Einen mit diesem Namen gibt es schon.',
  person: 'Wem er gehört',
  personHelp:
    'Leer: Ihnen. Der einer anderen Person erlaubt allein nichts; er ist der zweite von zweien.',
  personTaken:
    'Niemand sonst kann den Namen des Eigentümers haben. Leer lassen, wenn er Ihrer ist.',
  of: (person) => `von ${person}`,
  handOver: 'Übergeben',
  handOverTitle: (person) => `An ${person} übergeben`,
  handOverText:
    'Was Ihren Passkey verlangt, kann bis dahin mit dem dieser Person erlaubt werden. Er öffnet keine Seite, beendet keine Sperre und ändert keine Passkeys.',
  days: 'Tage',
  daysHelp: 'Höchstens 90. 0 nimmt es zurück.',
  daysWrong: 'Eine Zahl von 0 bis 90.',
  standsIn: (when) => `Antwortet bis ${when} an Ihrer Stelle.`,
  two: 'Zwei verschiedene Menschen müssen das erlauben, jeder mit einem eigenen Passkey.',
  saidYes: (person, passkey, when) =>
    `${person ?? 'Der Eigentümer'} hat ${when} mit „${passkey}“ Ja gesagt.`,
  other:
    'Jetzt muss es jemand anderes erlauben, und hier funktioniert kein Passkey einer anderen Person.',
  removeTitle: (name) => `„${name}“ entfernen`,
  removeText:
    'Von da an bestätigt und öffnet er nichts mehr. Was er unterschrieben hat, bleibt im Protokoll.',
  whoAreYou: 'Zeigen Sie, dass Sie es sind:',
  passphrase: 'Passphrase',
  goOn: 'Weiter',
  useOne: 'Einen vorhandenen Passkey benutzen',
  busy: 'Warte auf den Passkey',
  cancelled: 'Sie haben abgebrochen, oder es hat zu lange gedauert.',
  failed: 'Dieser Browser konnte dafür keinen Passkey benutzen.',
  nothingDone: 'Es ist nichts geschehen. Versuchen Sie es noch einmal.',
  unlock: 'Mit einem Passkey entsperren',
  open: 'Mit einem Passkey öffnen',
  allow: 'Mit einem Passkey erlauben',
  wanted:
    'Das kann nur ein Passkey erlauben, und diese Seite hat keinen. In den Einstellungen kommt einer dazu.',
  otherAsk: 'Auf dem Bildschirm steht nicht, was der Runner fragt. Es wurde nichts unterschrieben.',
};
