/**
 * Every permission that a page could ask for, and why the answer is no. There is no entry that
 * says yes; a permission that is not in the table gets the same answer.
 */
export const refusedPermissions: Readonly<Record<string, string>> = {
  'clipboard-read': 'What a person copied elsewhere is none of the page’s business.',
  'clipboard-sanitized-write': 'A page copies through the selection, with the person’s own key.',
  'display-capture': 'Other windows stay unseen.',
  fileSystem: 'Files are read and written by the host, not by the page.',
  fullscreen: 'A prompt that fills the screen could pass for the desktop.',
  geolocation: 'Where the machine is plays no part in a decision.',
  hid: 'No devices.',
  'idle-detection': 'The shell itself knows when the screen is locked.',
  keyboardLock: 'The person keeps every key that leads out of the window.',
  media: 'No camera, no microphone.',
  mediaKeySystem: 'Nothing is played.',
  midi: 'No devices.',
  midiSysex: 'No devices.',
  notifications: 'Notifications come from the shell, which knows what they may offer.',
  openExternal: 'Text of a request must never start another program.',
  pointerLock: 'The pointer stays the person’s.',
  serial: 'No devices.',
  'speaker-selection': 'Nothing is played.',
  'storage-access': 'The page embeds no other site that could want its store.',
  'top-level-storage-access': 'The page embeds no other site that could want its store.',
  usb: 'No devices.',
  'window-management': 'The shell alone places windows.',
};

/** Whether a page may have a permission: never. */
export function mayHave(_permission: string): false {
  return false;
}
