import type { Catalogue } from './en.ts';

/** Telefone, die antworten: ihr Sperrbildschirm, wie eines gekoppelt wird, und ihre Liste. */
export const device: Catalogue['device'] = {
  title: 'Interlock',
  connecting: 'Verbinde',
  open: 'Mit dem Passkey öffnen',
  lockout: 'Sperren',
  again: 'Noch einmal tippen: alles sperren',
  howTo:
    'Dieses Gerät ist nicht gekoppelt. Am Rechner: interlock device pair NAME, dann den Code scannen, den er zeigt.',
  gone: 'Dieses Gerät ist nicht mehr gekoppelt. Am Rechner: interlock device pair NAME',
  pairText:
    'Dieses Gerät bekommt einen eigenen Schlüssel und einen eigenen Passkey. Die Passphrase des Rechners zeigt, dass Sie es sind; sie wird nirgends gespeichert.',
  pairPerson: (person) =>
    `Dieses Gerät bekommt einen eigenen Schlüssel und einen eigenen Passkey und antwortet als ${person}: auf das, was zwei Personen will, und auf alles, solange ${person} vertritt.`,
  pair: 'Dieses Gerät koppeln',
  pairing: 'Wird gekoppelt. Zeigen Sie den Passkey, wenn das Telefon danach fragt.',
  failed: 'Dieses Gerät wurde nicht gekoppelt. Ein Code gilt einmal, zehn Minuten lang.',
  onlyLow: 'Dieses Gerät darf nur erlauben, was ein geringes Risiko hat.',
  tell: 'Bescheid geben',
  tellText: 'Dieses Gerät kann melden, dass eine Anfrage wartet, und nichts weiter davon.',
  notTold: 'Der Browser oder sein Push-Dienst hat das nicht angenommen.',
  listTitle: 'Geräte',
  listHelp: 'Telefone, die antworten und sperren dürfen: Ihre und die anderer Menschen.',
  invite: 'Telefon einladen',
  inviteTitle: 'Ein Telefon einladen',
  nameHelp: 'Woran Sie es erkennen: Telefon, Tablet, bens-telefon.',
  nameTaken: 'Ein Gerät mit diesem Namen gibt es schon.',
  person: 'Wem es gehört',
  personHelp:
    'Leer: Ihnen. Das einer anderen Person antwortet auf das, was zwei Personen will, und auf alles, solange sie Sie vertritt.',
  rightsTitle: 'Was es darf',
  rightsShort: { lockout: 'Sperren', answer: 'Antworten', everything: 'Alles' },
  may: (rights, person) =>
    rights === 'lockout'
      ? 'Es sperrt alles und sieht keine Anfrage.'
      : person === ''
        ? {
            answer:
              'Es sieht jede Anfrage, kann jede ablehnen und erlaubt, was kein hohes Risiko hat.',
            everything:
              'Es sieht und beantwortet jede Anfrage, liest den Verlauf und beendet eine Pause oder Sperre.',
          }[rights]
        : {
            answer: `Es sieht, worauf ${person} antworten darf, und sagt dazu nur Nein.`,
            everything: `Es sagt Ja oder Nein zu dem, worauf ${person} antworten darf.`,
          }[rights],
  showCode: 'Code zeigen',
  codeFor: (name) => `Code für ${name}`,
  scan: (name, until) => `Auf „${name}“ scannen. Er gilt einmal, bis ${until}.`,
  thenPassphrase: 'Das Telefon legt einen Passkey an und fragt nach Ihrer Passphrase.',
  toThemAlone: (person) =>
    `Zeigen Sie ihn nur ${person}: Wer zuerst kommt, antwortet als ${person}.`,
  authority: (name) =>
    `Die Seite hat ein Zertifikat von „${name}“, das Telefone nicht von selbst kennen. Installieren Sie zuerst das Zertifikat dieser Stelle auf dem Telefon. iOS: seine Datei öffnen, dann Einstellungen, Allgemein, Info, Zertifikatsvertrauenseinstellungen. Android: Einstellungen, Sicherheit, Zertifikat installieren. Warnt das Telefon dann noch vor der Seite, gehen Sie nicht weiter: Das ist nicht dieser Rechner.`,
  listens: 'Die Seite für Telefone muss dazu laufen:',
  nowPaired: (name) => `„${name}“ ist gekoppelt.`,
  done: 'Fertig',
  rights: {
    lockout: 'sperrt, sonst nichts',
    answer: 'beantwortet, was ein geringes Risiko hat',
    everything: 'beantwortet alles',
  },
  paired: (when) => `gekoppelt ${when}`,
  seen: (when) => `zuletzt gesehen ${when}`,
  revoke: 'Entziehen',
  keep: 'Behalten',
  revokeTitle: (name) => `„${name}“ entziehen`,
  revokeText: 'Seine Verbindungen enden sofort, und es öffnet nichts mehr.',
};
