import { useEffect, useState } from 'react';
import { registerWorker } from '../notify/notify.ts';
import { Button } from '../primitives/Button.tsx';
import { call, callOrShow, useApp } from '../state/app.ts';
import { useText } from '../state/preferences.ts';

function base64url(bytes: ArrayBuffer | null): string {
  const text = String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0)));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Has the browser told of asks; false where it does not want to, or the machine did not take it. */
async function subscribe(): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  const { ready } = navigator.serviceWorker;
  await registerWorker('./device-worker.js');
  const answer = await call('pushKey', {});
  if (!answer.ok) return false;
  const { key } = answer.result;
  const { pushManager } = await ready;
  const before = await pushManager.getSubscription();
  // The machine has made its key anew, and a browser keeps to the one that it was given.
  if (before !== null && base64url(before.options.applicationServerKey) !== key)
    await before.unsubscribe();
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const [p256dh, auth] = [base64url(made.getKey('p256dh')), base64url(made.getKey('auth'))];
  return (await callOrShow('subscribePush', { endpoint: made.endpoint, p256dh, auth })) !== null;
}

/**
 * On a device, until its browser has answered: an offer to be told that an ask waits. One that has said
 * yes before is told again without a word, as the machine may have forgotten where.
 */
export function PushOffer() {
  const { device: words } = useText();
  const isOpen = useApp((model) => model.state?.device?.opened === 'passkey');
  const able = 'Notification' in window && 'PushManager' in window && isOpen;
  const [offered, setOffered] = useState(() => able && Notification.permission === 'default');
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    if (able && Notification.permission === 'granted') subscribe().catch(() => false);
  }, [able]);
  if (!offered || !isOpen) return null;
  return (
    <div className="banner">
      <div className="banner-words">
        <p>{failed ? words.notTold : words.tellText}</p>
      </div>
      <Button
        small
        onClick={() =>
          void subscribe()
            .catch(() => false)
            .then((done) => (done ? setOffered(false) : setFailed(true)))
        }
      >
        {words.tell}
      </Button>
    </div>
  );
}
