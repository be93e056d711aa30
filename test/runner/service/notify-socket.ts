import { createRequire } from 'node:module';
import { rmSync } from 'node:fs';
import type koffi from 'koffi';

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;

/** The place where systemd would listen for `sd_notify`: a real datagram socket, of which Node has none. */
export interface NotifySocket {
  /** Every notice that has come in since it was last asked. */
  readonly heard: () => readonly string[];
  readonly close: () => void;
}

/** Listens at a path, or with `@` in front at an abstract name. Linux only. */
export function listenForNotices(path: string): NotifySocket {
  const library = (createRequire(import.meta.url)('koffi') as typeof koffi).load(null);
  const socket = library.func('int socket(int, int, int)') as (...args: number[]) => number;
  const bind = library.func('int bind(int, void *, uint32_t)') as (
    fd: number,
    address: Buffer,
    size: number,
  ) => number;
  const recv = library.func('int64_t recv(int, _Out_ void *, size_t, int)') as (
    fd: number,
    bytes: Buffer,
    size: number,
    flags: number,
  ) => number;
  const close = library.func('int close(int)') as (fd: number) => number;

  const fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const name = Buffer.from(path);
  if (path.startsWith('@')) name[0] = 0;
  const address = Buffer.concat([Buffer.from([AF_UNIX, 0]), name]);
  if (bind(fd, address, address.length) !== 0) throw new Error(`nothing can listen at ${path}`);
  return {
    heard: () => {
      const notices: string[] = [];
      for (;;) {
        const bytes = Buffer.alloc(4_096);
        const size = recv(fd, bytes, bytes.length, MSG_DONTWAIT);
        if (size < 0) return notices;
        notices.push(bytes.subarray(0, size).toString());
      }
    },
    close: () => {
      close(fd);
      if (!path.startsWith('@')) rmSync(path, { force: true });
    },
  };
}
