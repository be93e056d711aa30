/** The part of node-ipc 14.0.0 that `ipc.ts` uses; the package brings no types. */
declare module 'node-ipc' {
  import type { Server as NetServer, Socket } from 'node:net';

  interface Config {
    silent: boolean;
    logger: (text: string) => void;
    parser: unknown;
    unlink: boolean;
    secureSocketRoot: boolean;
    maxConnections: number;
    maxRetries: number;
    stopRetrying: boolean;
  }

  interface Server {
    readonly server: NetServer;
    on(type: 'connect' | 'start', handler: (socket: Socket) => void): this;
    on(type: 'line' | 'fault', handler: (data: string, socket: Socket) => void): this;
    on(type: 'error', handler: (error: Error) => void): this;
    start(): void;
    stop(): void;
    emit(socket: Socket, type: 'line', data: string): boolean;
  }

  interface Client {
    readonly socket: Socket;
    on(type: 'connect' | 'disconnect', handler: () => void): this;
    on(type: 'line' | 'fault', handler: (data: string) => void): this;
    on(type: 'error', handler: (error: Error) => void): this;
    emit(type: 'line', data: string): boolean;
  }

  /** One instance holds one server and any clients; instances share nothing. */
  class IPCModule {
    config: Config;
    server: Server;
    of: Record<string, Client>;
    serve(path: string): void;
    connectTo(id: string, path: string): void;
    disconnect(id: string): void;
  }

  export { IPCModule };
}
