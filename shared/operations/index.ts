/** What is done to a home as a whole: lockout, pause, presence of a person, health checks. */

export { advisorPlaceProblem } from './advisor-place.ts';
export {
  changeDevices,
  hasItsDevice,
  inOwnFolder,
  inviteDevice,
  inviteToPage,
  isSignedByDevice,
  listDevices,
  mostDevices,
  pairingTtlMs,
  readCertificateText,
  readDevices,
  readPairing,
  requireRoom,
  revokeDevice,
  takeDevice,
} from './devices.ts';
export { createGithubToken } from './github-token.ts';
export type { GithubOptions, GithubSource } from './github-token.ts';
export { checkHealth, mendHealth } from './health/health.ts';
export { findElectron, gdbusEnvironment, hasDisplay, socketState } from './health/probes.ts';
export { danger, ok, warning } from './health/types.ts';
export {
  bringAgentsBack,
  allProcesses,
  commandProcesses,
  commandsOf,
  lockOut,
  lockOutThrough,
  lockOutsideHome,
  processesOfCommand,
  lockoutGraceMs,
  lockoutTimeoutMs,
  paced,
} from './lockout.ts';
export type { CommandProcesses, KeyRotation, LockOutOptions, LockoutReport } from './lockout.ts';
export {
  changePasskeys,
  checkAssertion,
  createNonces,
  mostPasskeys,
  provePasskey,
  readAttestation,
  readPasskeys,
  unlockWithPasskey,
} from './passkeys.ts';
export type { Nonces, PasskeyFile } from './passkeys.ts';
export { listSecrets } from './named-secrets.ts';
export { pause, resume } from './pause.ts';
export {
  hasPassphrase,
  requirePassphrase,
  setPassphrase,
  shortestPassphrase,
  unlockWithPassphrase,
} from './presence.ts';
export { projectFolder } from './project-folder.ts';
export {
  agentLabel,
  launchdAgentFile,
  machineUnitFile,
  systemdUnitFile,
  unitName,
} from './service-places.ts';
