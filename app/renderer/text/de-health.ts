/** What the checks of the set-up find, by the gate's own words. */
const titles: Readonly<Record<string, string>> = {
  'Interlock is not set up here': 'Interlock ist hier nicht eingerichtet',
  'You use the runner of this machine': 'Sie nutzen den Runner dieses Rechners',
  'There is no INTERLOCK_HOME': 'INTERLOCK_HOME fehlt',
  'INTERLOCK_HOME is not a directory': 'INTERLOCK_HOME ist kein Verzeichnis',
  'INTERLOCK_HOME belongs to somebody else': 'INTERLOCK_HOME gehört jemand anderem',
  'INTERLOCK_HOME is yours': 'INTERLOCK_HOME gehört Ihnen',
  'File modes are not checked on Windows': 'Dateirechte werden unter Windows nicht geprüft',
  'A file in INTERLOCK_HOME belongs to somebody else':
    'Eine Datei in INTERLOCK_HOME gehört jemand anderem',
  'Only you can read INTERLOCK_HOME': 'Nur Sie können INTERLOCK_HOME lesen',
  'Others can use files in INTERLOCK_HOME': 'Andere können Dateien in INTERLOCK_HOME benutzen',
  'Something lies in the place of a socket': 'Wo ein Socket sein sollte, liegt etwas anderes',
  'Somebody else may serve a socket': 'Einen Socket bedient vielleicht jemand anderes',
  'No socket was left behind': 'Kein Socket ist liegen geblieben',
  'A program that ended left its socket behind':
    'Ein Programm hat bei seinem Ende den Socket liegen lassen',
  'The runner answers': 'Der Runner antwortet',
  'The runner is not running': 'Der Runner läuft nicht',
  'An approver is running': 'Eine Freigabe-App läuft',
  'No approver is running': 'Keine Freigabe-App läuft',
  'Another program goes by the name "interlock"': 'Ein anderes Programm heißt auch „interlock“',
  '"interlock" on your PATH is this one': '„interlock“ im PATH ist dieses hier',
  'The command is started by its path; "interlock" is not on your PATH':
    'Das Programm wird über seinen Pfad gestartet; „interlock“ ist nicht im PATH',
  'There is a shell for shell text': 'Eine Shell für Shell-Text ist da',
  'There is no shell': 'Es gibt keine Shell',
  'Shell text can be analysed': 'Shell-Text lässt sich analysieren',
  'The shell grammar does not load: shell text cannot be allowed by rules':
    'Die Shell-Grammatik lädt nicht: Regeln können keinen Shell-Text erlauben',
  'The kernel says who connects': 'Der Kernel sagt, wer sich verbindet',
  'It cannot be seen who connects, so every connection is refused':
    'Wer sich verbindet, ist nicht zu sehen. Darum wird jede Verbindung abgelehnt',
  'The menu bar app can start': 'Die Menüleisten-App kann starten',
  'The browser console is the approver here': 'Freigegeben wird hier im Browser',
  "Keys are in the system's keychain": 'Die Schlüssel liegen im Schlüsselbund des Systems',
  'The keychain that holds the keys cannot be reached':
    'Der Schlüsselbund mit den Schlüsseln ist nicht erreichbar',
  'Keys are in files that only you can read':
    'Die Schlüssel liegen in Dateien, die nur Sie lesen können',
  'No keys have been made yet': 'Es gibt noch keine Schlüssel',
  'The approvals token is where it should be': 'Das Token der Freigaben liegt, wo es soll',
  'The approvals token cannot be had: no approver can connect':
    'Das Token der Freigaben ist nicht zu bekommen: Keine Freigabe-App kann sich verbinden',
  'The approvals token stands in the policy, and approvals.v1 is off':
    'Das Token der Freigaben steht in den Regeln, obwohl approvals.v1 aus ist',
  'The approvals token is in the secret store, and approvals.v1 is on':
    'Das Token der Freigaben liegt im Geheimnisspeicher, obwohl approvals.v1 an ist',
  'The secret store has not got the approvals token that the policy refers to':
    'Das Token, auf das die Regeln verweisen, fehlt im Geheimnisspeicher',
  'The policy is valid': 'Die Regeln sind gültig',
  'The policy is not valid: everything is denied': 'Die Regeln sind ungültig: Alles wird abgelehnt',
  'config.json is valid': 'config.json ist gültig',
  'config.json is not valid: everything is denied':
    'config.json ist ungültig: Alles wird abgelehnt',
  'Neither locked nor paused': 'Weder gesperrt noch pausiert',
  Paused: 'Pausiert',
  'Locked: everything is refused': 'Gesperrt: Alles wird abgelehnt',
  'The runner has a user of its own': 'Der Runner läuft unter einem eigenen Benutzer',
  'Agents run unsandboxed as the same user': 'Agenten laufen ohne Sandbox unter demselben Benutzer',
  'Agents run unsandboxed as the same user, and that user is root':
    'Agenten laufen ohne Sandbox unter demselben Benutzer, und der ist root',
  'What rules allow is held to what was seen, where the kernel can':
    'Was Regeln erlauben, hält der Kernel in seinen Grenzen, wo er es kann',
  'What rules allow is not held by the kernel': 'Was Regeln erlauben, begrenzt der Kernel nicht',
  'An advisor is not started': 'Ein Ratgeber startet nicht',
  'No advisor looks at asks': 'Kein Ratgeber sieht Anfragen an',
  'Advisors look at asks before you do': 'Ratgeber sehen Anfragen vor Ihnen an',
  'No agent is behind the gate': 'Kein Agent steht hinter der Schranke',
  'What is known of the hooks of agents cannot be read: all that ask through hooks are refused':
    'Was über Hooks bekannt ist, lässt sich nicht lesen: Wer über Hooks fragt, wird abgelehnt',
  'No tool is brokered': 'Kein Werkzeug wird vermittelt',
  'Sandboxes reach other machines through the proxy alone':
    'Aus Sandboxen führt nur der Proxy zu anderen Rechnern',
  'The proxy lacks secrets, and passes on nothing that needs them':
    'Dem Proxy fehlen Geheimnisse. Was sie braucht, gibt er nicht weiter',
  "The proxy's authority is made when it is first needed":
    'Die Zertifizierungsstelle des Proxys entsteht, wenn sie gebraucht wird',
  "The proxy's authority cannot be used":
    'Die Zertifizierungsstelle des Proxys ist nicht zu gebrauchen',
  'Sandboxes are not signed in at GitHub': 'Sandboxen sind bei GitHub nicht angemeldet',
  'There is a passphrase to unlock with': 'Eine Passphrase zum Entsperren ist gesetzt',
  'No passphrase is set': 'Keine Passphrase ist gesetzt',
  'No service starts the runner': 'Kein Dienst startet den Runner',
  'The service starts a program that is gone': 'Der Dienst startet ein Programm, das fehlt',
  'The service is installed and does not start by itself':
    'Der Dienst ist installiert und startet nicht von selbst',
  'A service starts the runner': 'Ein Dienst startet den Runner',
  'Nobody is named who may use the shared socket':
    'Niemand ist genannt, der den gemeinsamen Socket nutzen darf',
  'The socket for other users is not open': 'Der Socket für andere Benutzer ist nicht offen',
  'Screen lock and sleep can be heard': 'Bildschirmsperre und Ruhezustand werden bemerkt',
  'Screen lock and sleep cannot be heard, so they do not lock':
    'Bildschirmsperre und Ruhezustand werden nicht bemerkt und sperren darum nicht',
  'The list of agents with keys cannot be believed':
    'Der Liste der Agenten mit Schlüssel ist nicht zu trauen',
  'Agents wait for a new key': 'Agenten warten auf einen neuen Schlüssel',
  'No agent has a key': 'Kein Agent hat einen Schlüssel',
  'One agent has a key': 'Ein Agent hat einen Schlüssel',
};

/** Titles with a name in them: what stands around it, and the same in German. */
const around: readonly (readonly [RegExp, string])[] = [
  [/^Node (\S+) is too old$/, 'Node $1 ist zu alt'],
  [/^(\d+) agents have keys$/, '$1 Agenten haben Schlüssel'],
  [/^(.+) is behind the gate$/, '$1 steht hinter der Schranke'],
  [
    /^(.+) is behind the gate, with something to see to$/,
    '$1 steht hinter der Schranke, und etwas ist zu tun',
  ],
  [
    /^(.+) is not held by the gate as it should be$/,
    'Die Schranke hält $1 nicht so, wie sie sollte',
  ],
];

/** The title of a check in German; undefined where it has none yet. */
export function healthTitle(title: string): string | undefined {
  const known = Object.hasOwn(titles, title) ? titles[title] : undefined;
  if (known !== undefined) return known;
  const found = around.find(([pattern]) => pattern.test(title));
  return found && title.replace(found[0], found[1]);
}
