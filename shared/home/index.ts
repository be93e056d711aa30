/** The one door to INTERLOCK_HOME and the machine it is on: files, policy, secrets, stop state, locks, records. */

export {
  agentIndex,
  agentKeyFile,
  agentSecretName,
  issueAgentKey,
  readPrincipalFile,
  restoreAgentKeys,
  revokeAgentKey,
  revokeAgentKeys,
  writePrincipalFile,
} from './agent-keys.ts';
export type { Principal, PrincipalFile } from './agent-keys.ts';
export { rotateToken, settleToken, tokenReader, tokenState } from './approvals-token.ts';
export type { RotateTokenOptions, SettleTokenOptions, TokenState } from './approvals-token.ts';
export { noArming, readArming, writeArming } from './arming-record.ts';
export type { ArmedSession, ArmingRecord, DisarmedAgent } from './arming-record.ts';
export { systemClock } from './clock.ts';
export { readConfigFile } from './config-file.ts';
export { auditReceivers, readExportState, writeExportState } from './audit-export.ts';
export type { AuditReceiver, ExportStanding, ExportState } from './audit-export.ts';
export { datagramAddress, sendDatagram } from './packets.ts';
export { managedStamp } from './managed-files.ts';
export { fleetStateBeside, maxFleetText, readFleetState, writeFleetState } from './fleet-policy.ts';
export type { FleetState } from './fleet-policy.ts';
export {
  changeTrustedProjects,
  isSameProject,
  readProjectFile,
  readTrustedProjects,
  trustStateOf,
  trustedProjectsBeside,
} from './trusted-projects.ts';
export type { ConfigFileState } from './config-file.ts';
export { tryFileLock, waitForFileLock, withFileLock } from './file-lock.ts';
export { deliverTo } from './delivery.ts';
export { pathBytes, pathOfText, pathText } from './folder-names.ts';
export { openFolderTrees } from './folder-trees.ts';
export type { FolderTrees } from './folder-trees.ts';
export type { Told } from './folder-listeners.ts';
export type { FolderTree, TreeFolder } from './folder-tree.ts';
export {
  hashOfText,
  ensurePrivateDirectory,
  privateDirectoryProblem,
  readPrivateFile,
  readAtMost,
  withPlainFile,
  removeHalfWritten,
  writeFileAtomic,
  writePage,
} from './files.ts';
export { openHome } from './home.ts';
export type { Home } from './home.ts';
export { initHome } from './init.ts';
export { listeningPorts } from './listening.ts';
export { looksLocked } from './lock-glance.ts';
export { namedSecretsRevision, requireSecretName } from './named-secrets.ts';
export type { NamedSecrets, SecretFacts } from './named-secrets.ts';
export { becomeOwner } from './owner.ts';
export { loadKeytar } from './keytar.ts';
export { keepReturningMemory, leaveNoCore, libc, openPipe } from './libc.ts';
export {
  baseEnvironment,
  findShell,
  hashFile,
  loadGrammar,
  nodeFiles,
  openMachine,
} from './machine.ts';
export {
  connectForPackets,
  listenForPackets,
  openPacketPair,
  openTerminal,
  receivePacket,
  resizeTerminal,
  sendPacket,
} from './packets.ts';
export {
  clientSocket,
  homePaths,
  longestSocketPath,
  machineSocket,
  ownUid,
  ownUser,
} from './paths.ts';
export type { HomePaths } from './paths.ts';
export {
  editPolicyFile,
  readPolicyFile,
  watchFile,
  watchPolicyFile,
  writePolicyFile,
} from './policy-file.ts';
export type { PolicyFile, PolicyFileEdit } from './policy-file.ts';
export {
  createFinder,
  homeTag,
  homeVariable,
  listProcesses,
  lookTogether,
  parseStat,
  processesOf,
  processesOfHome,
  startTicksOf,
  runVariable,
  stopProcesses,
} from './processes.ts';
export { boxKeeperSchema, boxKeepers } from './box-keepers.ts';
export type { BoxKeeper } from './box-keepers.ts';
export type {
  FinderOptions,
  FoundRecords,
  Machine,
  ProcessEntry,
  RunningRecord,
  RunningRecords,
  StopProcessesOptions,
} from './processes.ts';
export {
  openRunningRecords,
  readBootId,
  readRunningRecords,
  removeRunningRecord,
} from './running-record.ts';
export { fileSecretStore, openSecretStore } from './secrets.ts';
export type { SecretStore, SecretStoreKind } from './secrets.ts';
export {
  admitToolCall,
  noSecretFor,
  openToolPolicies,
  parseToolPolicy,
  readToolPolicy,
  replaceableProgram,
  toolsIn,
} from './tool-policies.ts';
export type { AdmittedToolCall, ToolPolicyFile } from './tool-policies.ts';
export { homeVersion } from './migrations.ts';
export { readHomeVersion, requireHomeVersion, rollbackHome, upgradeHome } from './upgrade.ts';
export type { VersionChange } from './upgrade.ts';
export { keepStopNote, openLock, stopNotesToWatch, takeStopNotes } from './stop-journal.ts';
export {
  closeLock,
  prepareReadyLock,
  readLockoutState,
  readStopState,
  writePauseState,
} from './stop-state.ts';
export type { LockStored, StopState } from './stop-state.ts';
export { commandLineOf, commandOnPath, commandToType, programOnPath } from './own-command.ts';
export type { OnPath } from './own-command.ts';
export { makeSharedFolder, openSharedFolder, sharedName } from './shared-folder.ts';
export type { SharedFile, SharedFolder, SharedPart } from './shared-folder.ts';
export { readStrictYaml } from './strict-yaml.ts';
