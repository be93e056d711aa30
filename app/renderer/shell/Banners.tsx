import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import type { Refusal } from '../../../shared/base/index.ts';
import { isDevicePage } from '../device/identity.ts';
import { OpenWithPasskey } from '../passkeys/OpenWithPasskey.tsx';
import { Button } from '../primitives/Button.tsx';
import { Icon } from '../primitives/Icon.tsx';
import { useApp } from '../state/app.ts';
import { callOrShow } from '../state/app.ts';
import { useMode, useModeReason } from '../state/app.ts';
import { useText } from '../state/preferences.ts';

interface BannerProps {
  readonly tone: 'danger' | 'caution';
  readonly title: string;
  readonly children?: ReactNode;
  /** What it answers: each one is brought into view, however far down the page was pressed. */
  readonly answers?: Refusal;
  readonly onDismiss?: () => void;
}

function Banner({ tone, title, children, answers, onDismiss }: BannerProps) {
  const { shell } = useText();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (answers !== undefined) box.current?.scrollIntoView({ block: 'nearest' });
  }, [answers]);
  return (
    <div ref={box} className={`banner banner-${tone}`} role="alert">
      <Icon name={tone} />
      <div className="banner-words">
        <strong>{title}</strong>
        {children}
      </div>
      {onDismiss !== undefined && (
        <Button small look="plain" icon="close" aria-label={shell.dismiss} onClick={onDismiss} />
      )}
    </div>
  );
}

/** What keeps the gate from working, in a sentence each, with what to do about it. */
export function Banners() {
  const { banner, mode, codes, shell } = useText();
  const [starting, setStarting] = useState(false);
  const { link, state, failure, fail, reconnect } = useApp();
  const current = useMode();
  const reason = useModeReason();
  const start = async (): Promise<void> => {
    setStarting(true);
    await callOrShow('startRunner', {});
    setStarting(false);
  };
  const problem = state?.policy.problem ?? null;
  return (
    <>
      {link === 'lost' && (
        <Banner tone="danger" title={banner.lost}>
          <p>{banner.lostText}</p>
        </Banner>
      )}
      {link === 'outside' && !isDevicePage() && (
        <Banner tone="caution" title={banner.outside}>
          <p>{banner.outsideText}</p>
          <Button onClick={reconnect}>{banner.again}</Button>
          <OpenWithPasskey />
        </Banner>
      )}
      {link === 'ended' && !isDevicePage() && (
        <Banner tone="caution" title={banner.ended}>
          <p>{banner.endedText}</p>
          <Button onClick={reconnect}>{banner.again}</Button>
          <OpenWithPasskey />
        </Banner>
      )}
      {link === 'open' && state?.runner === null && state.device?.opened !== 'locked' && (
        <Banner tone="caution" title={banner.runner}>
          {state.canStartRunner === true ? (
            <Button disabled={starting} onClick={() => void start()}>
              {starting ? shell.starting : shell.startRunner}
            </Button>
          ) : (
            <p>{banner.runnerText}</p>
          )}
        </Banner>
      )}
      {problem !== null && (
        <Banner tone="danger" title={banner.policy}>
          <p lang="en">{problem.message}</p>
          {problem.hint !== '' && <p lang="en">{problem.hint}</p>}
        </Banner>
      )}
      {current === 'paused' && (
        <Banner tone="caution" title={mode.pausedText}>
          {reason !== null && <p>{reason}</p>}
        </Banner>
      )}
      {failure !== null && (
        <Banner
          answers={failure}
          tone="danger"
          title={codes.refusals[failure.code] ?? failure.message}
          onDismiss={() => fail(null)}
        >
          {codes.refusals[failure.code] !== undefined && <p lang="en">{failure.message}</p>}
          {failure.hint !== '' && <p lang="en">{failure.hint}</p>}
        </Banner>
      )}
    </>
  );
}
