/** Nobody answers on the runner's socket. The message is a sentence, the hint says how to start it. */
export class RunnerUnreachableError extends Error {
  readonly hint: string;
  readonly socketPath: string;

  constructor(message: string, socketPath: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RunnerUnreachableError';
    this.socketPath = socketPath;
    this.hint = 'Start it with "interlock up" (with an approver) or "interlock runner" (alone).';
  }
}
