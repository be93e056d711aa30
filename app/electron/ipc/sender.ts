import type { IpcMainInvokeEvent } from 'electron';
import { appOrigin } from '../scheme/origin.ts';

/** Whether a message comes from the top frame of one of our windows, showing our own page. */
export function isOurPage(
  event: IpcMainInvokeEvent,
  isOurs: (webContentsId: number) => boolean,
): boolean {
  const frame = event.senderFrame;
  if (frame === null || frame.detached || frame.parent !== null) return false;
  if (frame.routingId !== event.sender.mainFrame.routingId) return false;
  if (frame.processId !== event.sender.mainFrame.processId) return false;
  if (!isOurs(event.sender.id)) return false;
  return frame.origin === appOrigin && frame.url.startsWith(`${appOrigin}/`);
}
