import { danger, ok, warning } from './judge.ts';
import type { Check } from './types.ts';

const oldestNode = [20, 19] as const;

export const nodeCheck: Check = ({ nodeVersion }) => {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const isOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
  return isOld
    ? danger(
        'node',
        `Node ${nodeVersion} is too old`,
        `Install Node ${oldestNode.join('.')} or newer.`,
      )
    : ok('node', `Node ${nodeVersion}`);
};

export const shellCheck: Check = ({ shell: { path, found } }) =>
  found
    ? ok('shell', 'There is a shell for shell text', path)
    : danger(
        'shell',
        'There is no shell',
        `${path} is missing; shell text cannot run. Install bash.`,
      );

export const grammarCheck: Check = ({ grammarProblem }) =>
  grammarProblem === null
    ? ok('grammar', 'Shell text can be analysed')
    : danger(
        'grammar',
        'The shell grammar does not load: shell text cannot be allowed by rules',
        `${grammarProblem} Install again with "npm ci".`,
      );

export const peerCheck: Check = ({ peerProblem }) =>
  peerProblem === null
    ? ok('peer-credentials', 'The kernel says who connects')
    : danger(
        'peer-credentials',
        'It cannot be seen who connects, so every connection is refused',
        `${peerProblem} Install again with "npm ci", so that koffi gets its platform package.`,
      );

export const electronCheck: Check = ({ electronBinary, hasDisplay }) => {
  if (electronBinary !== null && hasDisplay)
    return ok('electron', 'The menu bar app can start', electronBinary);
  return ok(
    'electron',
    'The browser console is the approver here',
    electronBinary === null
      ? 'The Electron binary is not installed. "npx install-electron" fetches it; ELECTRON_PATH names another one.'
      : 'There is no display: neither DISPLAY nor WAYLAND_DISPLAY is set.',
  );
};

export const secretStoreCheck: Check = ({ secretStore: { chosen, keychainLoads } }) => {
  if (chosen === 'keychain')
    return keychainLoads
      ? ok('secret-store', "Keys are in the system's keychain")
      : danger(
          'secret-store',
          'The keychain that holds the keys cannot be reached',
          'Install libsecret (apt install libsecret-1-dev), then "npm ci".',
        );
  if (chosen === 'file')
    return warning(
      'secret-store',
      'Keys are in files that only you can read',
      'No keychain answered when they were made. Programs of the same user can read them.',
    );
  return ok(
    'secret-store',
    'No keys have been made yet',
    keychainLoads ? 'They will go to the keychain if it answers.' : 'They will go to 0600 files.',
  );
};
