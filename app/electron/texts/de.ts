import type { ShellTexts } from './texts.ts';

function anzahl(n: number, eins: string, viele: string): string {
  return n === 1 ? eins : `${n} ${viele}`;
}

export const de: ShellTexts = {
  status: {
    armed: 'Interlock: scharf',
    running: (n) => anzahl(n, '1 Befehl läuft', 'Befehle laufen'),
    asking: (n) => anzahl(n, '1 Anfrage wartet', 'Anfragen warten'),
    paused: 'Interlock: angehalten',
    locked: 'Interlock: gesperrt',
    invalid: 'Interlock: die Richtlinie ist ungültig, alles wird abgelehnt',
    gone: 'Interlock: der Runner ist nicht erreichbar',
  },
  menu: {
    asksHeading: 'Warten auf Sie',
    moreAsks: (n) => anzahl(n, '1 weitere…', 'weitere…'),
    ask: (agent, command) => `${agent}: ${command}`,
    raisedHeading: 'Für eine Weile erweitert',
    endRaised: (who, as, until) => `${as} von ${who} beenden, sonst bis ${until}`,
    open: 'Interlock öffnen',
    showOldest: 'Älteste Anfrage zeigen',
    pause: 'Anhalten',
    resume: 'Fortsetzen',
    lockout: 'Jetzt sperren',
    unlock: 'Entsperren…',
    startRunner: 'Runner starten',
    settings: 'Einstellungen',
    quit: 'Beenden',
    edit: 'Bearbeiten',
    view: 'Darstellung',
    window: 'Fenster',
    gate: 'Schranke',
  },
  settings: {
    attention: 'Wenn ein Agent fragt',
    attentionModes: {
      window: 'Anfrage zeigen',
      notification: 'Benachrichtigen',
      both: 'Anfrage zeigen und benachrichtigen',
      tray: 'Nur das Symbol ändern',
    },
    sound: 'Mit Ton',
    startAtLogin: 'Bei der Anmeldung starten',
    startRunner: 'Runner mit der App starten',
    onScreenLock: 'Wenn der Bildschirm gesperrt wird',
    onSuspend: 'Wenn der Rechner schläft',
    awayActions: { nothing: 'Nichts tun', pause: 'Anhalten', lockout: 'Sperren' },
    lockoutShortcut: 'Von überall sperren',
    oldestAskShortcut: 'Älteste Anfrage von überall zeigen',
    off: 'Aus',
    touchId: 'Touch ID vor dem Entsperren',
    problem: 'Einstellungen nicht gelesen:',
    shortcutTaken: (accelerator) => `${accelerator} gehört schon einem anderen Programm`,
  },
  notification: {
    title: (agent) => `${agent} fragt`,
    highRisk: 'Hohes Risiko: bitte im Fenster lesen.',
    cut: 'Der Befehl ist länger: bitte im Fenster lesen.',
    allowOnce: 'Einmal erlauben',
    deny: 'Ablehnen',
    show: 'Zeigen',
    notCounted: 'Die Antwort kam zu spät und zählt nicht.',
    lockedOut: (stopped, keys) =>
      `Gesperrt. ${anzahl(stopped, '1 Prozess', 'Prozesse')} beendet, ${anzahl(keys, '1 Schlüssel', 'Schlüssel')} ersetzt.`,
    lockedAlone: 'Gesperrt. Kein Runner antwortete; alles Weitere geschah ohne ihn.',
    lockedElsewhere: (reason) =>
      `Gesperrt, alles wurde beendet${reason === null ? '' : `: ${reason}`}.`,
    updateFailed: 'Die Update-Quelle war nicht zu lesen.',
    lockoutFailed: 'Das Sperren ist misslungen. Im Terminal: interlock lockout',
  },
  reasons: {
    tray: 'Aus der Menüleiste gesperrt',
    pausedTray: 'Aus der Menüleiste angehalten',
    shortcut: 'Mit dem Tastenkürzel gesperrt',
    screenLock: 'Der Bildschirm wurde gesperrt',
    suspend: 'Der Rechner ging schlafen',
  },
  touchId: {
    reason: 'Interlock entsperren',
    refused: 'Touch ID hat nicht bestätigt, dass Sie da sind.',
    hint: 'Noch einmal versuchen, oder im Terminal: interlock unlock',
  },
  dialog: {
    failedTitle: 'Interlock konnte nicht starten',
    runsElsewhere: (shell, pid) =>
      `Interlock ist schon offen (${shell}, Prozess ${pid}). Bitte zuerst dort beenden.`,
  },
};
