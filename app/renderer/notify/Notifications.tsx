import { useState } from 'react';
import { Button } from '../primitives/Button.tsx';
import { Icon } from '../primitives/Icon.tsx';
import { useSettings } from '../settings/useSettings.ts';
import { useText } from '../state/preferences.ts';
import { askPermission, permission } from './notify.ts';
import type { Permission } from './notify.ts';
import './notify.css';

/** Whether notifications are wanted, what the browser says to that, and how to turn them on. */
function useNotifications() {
  const { settings, change } = useSettings();
  const [allowed, setAllowed] = useState<Permission>(permission);
  const wanted = settings.attention === 'notification' || settings.attention === 'both';
  const turnOn = async (): Promise<void> => {
    const answer = await askPermission();
    setAllowed(answer);
    if (answer === 'granted' && !wanted) change({ attention: 'both' });
  };
  return { wanted, allowed, turnOn };
}

/** In the settings of a browser page: what becomes of notifications here. */
export function Notifications() {
  const { notify } = useText();
  const { wanted, allowed, turnOn } = useNotifications();
  if (!wanted || window.interlock !== undefined) return null;
  if (allowed === 'granted')
    return (
      <p className="field-help notify-state">
        <Icon name="ok" size={14} />
        {notify.on}
      </p>
    );
  return (
    <div className="notify-state">
      <p className="field-problem">
        <Icon name="caution" size={14} />
        {allowed === 'none' ? notify.none : allowed === 'denied' ? notify.blocked : notify.askText}
      </p>
      {allowed === 'default' && <Button onClick={() => void turnOn()}>{notify.turnOn}</Button>}
    </div>
  );
}

/** In the first steps: an offer that is not needed to be done, and gone once the browser has answered. */
export function NotifyOffer() {
  const { notify } = useText();
  const { wanted, allowed, turnOn } = useNotifications();
  if (allowed !== 'default' && !(allowed === 'granted' && !wanted)) return null;
  return (
    <div className="notify-offer">
      <Icon name="asks" size={18} />
      <div>
        <p className="guide-name">{notify.ask}</p>
        <p className="quiet small">{notify.askText}</p>
        <Button onClick={() => void turnOn()}>{notify.turnOn}</Button>
      </div>
    </div>
  );
}
