import type { FastifyInstance } from 'fastify';
import { compile } from '../../../shared/base/index.ts';
import {
  boxAttachSchema,
  boxLockSchema,
  boxStopSchema,
  boxTailSchema,
  terminalResizeSchema,
  terminalSchema,
  terminalTypeSchema,
} from '../../../shared/wire/index.ts';
import type {
  BoxAttachBody,
  BoxEndBody,
  BoxTailBody,
  BoxesBody,
  TerminalDoneBody,
  TerminalReadBody,
} from '../../../shared/wire/index.ts';
import { checked } from './errors.ts';
import type { ApiPorts, PeerOf } from './ports.ts';

const checkStop = compile(boxStopSchema);
const checkTail = compile(boxTailSchema);
const checkLock = compile(boxLockSchema);
const checkAttach = compile(boxAttachSchema);
const checkTerminal = compile(terminalSchema);
const checkType = compile(terminalTypeSchema);
const checkResize = compile(terminalResizeSchema);

/**
 * `GET /v1/boxes`, `POST /v1/boxes/tail`, `/v1/boxes/stop` and `/v1/boxes/lock`: named boxes. For the
 * owner alone; no command of ours ends one, or reads what it wrote. None is started here: what a runner starts ends with its service.
 */
export function boxRoutes(
  app: FastifyInstance,
  { boxes, mayChangeBoxes }: ApiPorts,
  peerOf: PeerOf,
): void {
  app.get('/v1/boxes', async (): Promise<BoxesBody> => ({ ok: true, boxes: await boxes.list() }));
  app.post('/v1/boxes/tail', async (request): Promise<BoxTailBody> => {
    const { name, window } = checked(checkTail, request.body);
    await mayChangeBoxes(peerOf(request).pid);
    return { ok: true, lines: boxes.tail(name, window) };
  });
  app.post('/v1/boxes/stop', async (request): Promise<BoxEndBody> => {
    const { name } = checked(checkStop, request.body);
    await mayChangeBoxes(peerOf(request).pid);
    return { ok: true, notes: await boxes.stop(name) };
  });
  app.post('/v1/boxes/lock', async (request): Promise<BoxEndBody> => {
    const { name, reason = null } = checked(checkLock, request.body);
    await mayChangeBoxes(peerOf(request).pid);
    return { ok: true, notes: await boxes.lock(name, reason) };
  });
}

/**
 * `POST /v1/boxes/terminal` and below it `read`, `type`, `resize` and `leave`: a box at a terminal of its
 * own. For the owner alone, for no command of ours, and for the one process that opened it.
 */
export function terminalRoutes(
  app: FastifyInstance,
  { boxes: { terminals }, mayChangeBoxes }: ApiPorts,
  peerOf: PeerOf,
): void {
  const reader = async (request: Parameters<PeerOf>[0]): Promise<number | null> => {
    const { pid } = peerOf(request);
    await mayChangeBoxes(pid);
    return pid;
  };
  app.post('/v1/boxes/terminal', async (request): Promise<BoxAttachBody> => {
    const { name, ...size } = checked(checkAttach, request.body);
    const pid = await reader(request);
    return { ok: true, terminal: await terminals.open(name, size, pid) };
  });
  app.post('/v1/boxes/terminal/read', async (request): Promise<TerminalReadBody> => {
    const { terminal } = checked(checkTerminal, request.body);
    const pid = await reader(request);
    return { ok: true, ...(await terminals.read(terminal, pid)) };
  });
  app.post('/v1/boxes/terminal/type', async (request): Promise<TerminalDoneBody> => {
    const { terminal, input } = checked(checkType, request.body);
    terminals.type(terminal, input, await reader(request));
    return { ok: true };
  });
  app.post('/v1/boxes/terminal/resize', async (request): Promise<TerminalDoneBody> => {
    const { terminal, ...size } = checked(checkResize, request.body);
    terminals.resize(terminal, size, await reader(request));
    return { ok: true };
  });
  app.post('/v1/boxes/terminal/leave', async (request): Promise<TerminalDoneBody> => {
    const { terminal } = checked(checkTerminal, request.body);
    terminals.leave(terminal, await reader(request));
    return { ok: true };
  });
}
