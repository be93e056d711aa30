import type { MenuItemConstructorOptions } from 'electron';
import type { QueuedAsk } from '../../bridge/types.ts';
import type { ShellActions } from '../actions.ts';
import { oneLine } from '../texts/one-line.ts';
import type { ShellTexts } from '../texts/types.ts';

/** Most asks that the menu names. */
export const topAsks = 5;

const commandLength = 60;

/** The oldest asks as menu items. Each opens its prompt: nothing is ever allowed from a menu. */
export function askItems(
  queue: readonly QueuedAsk[],
  actions: Pick<ShellActions, 'showAsk' | 'showOldest'>,
  texts: ShellTexts,
): MenuItemConstructorOptions[] {
  if (queue.length === 0) return [];
  const items: MenuItemConstructorOptions[] = queue.slice(0, topAsks).map(({ ask }) => ({
    label: menuLabel(
      texts.menu.ask(oneLine(ask.agent, 20).text, oneLine(ask.command, commandLength).text),
    ),
    click: () => actions.showAsk(ask.id),
  }));
  const more = queue.length - items.length;
  if (more > 0) {
    items.push({ label: texts.menu.moreAsks(more), click: () => actions.showOldest() });
  }
  return [{ label: texts.menu.asksHeading, enabled: false }, ...items, { type: 'separator' }];
}

/** An ampersand would mark the next letter as a key and vanish from the command. */
function menuLabel(text: string): string {
  return text.replaceAll('&', '&&');
}
