/** How the processes talk: sockets, the approval protocol, signed requests, the client of runner.sock. */

export { ancestryOf } from './ancestry.ts';
export {
  descriptorText,
  isSignedDescriptor,
  readDescriptorText,
  signDescriptor,
} from './descriptors.ts';
export { digestOfAsk, isSigned, isSignedReport, signAnswer, signReport } from './macs.ts';
export { peerCredentials } from './peer.ts';
export type { PeerCredentials } from './peer.ts';
export { createNonceMemory } from './protocol/context.ts';
export type { ApproverSession, RunnerSession, SessionOptions } from './protocol/context.ts';
export { openRunnerSession } from './protocol/runner-session.ts';
export { serveApprovals } from './protocol/serve.ts';
export type { V1Handlers } from './protocol/v1.ts';
export { RunnerUnreachableError, callJson } from './runner-call.ts';
export type { SignCall } from './runner-call.ts';
export { runnerClient } from './runner-client.ts';
export type { RunnerClient } from './runner-client.ts';
export { isSignedBy, readSignature } from './signed-request-read.ts';
export type { Signature } from './signed-request-read.ts';
export { bodyDigest, readKeyFile, signCall, signsHeader } from './signed-request.ts';
export type { UnsignedCall } from './signed-request.ts';
export type { Duplex } from './transport/duplex.ts';
export { connectThroughDoor } from './transport/door.ts';
export { connect, listen } from './transport/ipc.ts';
export type { Listener } from './transport/ipc.ts';
export { lineCutter, strictLineCutter } from './transport/lines.ts';
export {
  claimSocket,
  nodeServer,
  publishSocket,
  requireDead,
  takeLease,
} from './transport/socket-path.ts';
