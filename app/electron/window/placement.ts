import type { Rectangle } from 'electron';

export const promptSize = { width: 480, height: 720 } as const;

const margin = 12;

/**
 * Where the prompt stands on a display's work area: the corner where the tray is, so that it covers
 * little of what the person reads. On a small display it takes what there is.
 */
export function promptBounds(workArea: Rectangle, platform: NodeJS.Platform): Rectangle {
  const width = Math.min(promptSize.width, workArea.width);
  const height = Math.min(promptSize.height, workArea.height);
  const x = Math.max(workArea.x, workArea.x + workArea.width - width - margin);
  const top = workArea.y + Math.min(margin, workArea.height - height);
  const bottom = Math.max(workArea.y, workArea.y + workArea.height - height - margin);
  return { x, y: platform === 'win32' ? bottom : top, width, height };
}
