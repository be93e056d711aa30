import { Guide } from '../views/Guide.tsx';
import { Calm } from '../views/Calm.tsx';
import { Grants } from '../views/Grants.tsx';
import { useGuide } from '../views/Guide.tsx';
import { Prompt } from '../prompt/Prompt.tsx';
import { Empty } from '../primitives/Empty.tsx';
import { useApp } from '../state/app.ts';
import { useMode } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { shownAsk } from '../state/app.ts';
import { Queue } from './Queue.tsx';
import './queue.css';

/** The ask on screen, and beside it all that wait. */
export function AsksView() {
  const text = useText();
  const queue = useApp((model) => model.state?.queue) ?? [];
  const selected = useApp((model) => model.selected);
  const locked = useMode() === 'locked';
  const link = useApp((model) => model.link);
  const alone = useApp((model) => model.alone);
  const guide = useGuide();
  const shown = shownAsk(queue, selected);
  if (shown === undefined) {
    if (locked || link !== 'open') return null;
    if (guide !== null) return <Guide state={guide} />;
    return (
      <div className="calm">
        <Empty icon="asks" title={text.queue.empty} text={text.queue.emptyText}>
          <p className="faint small">{text.queue.tryIt}</p>
          <code className="empty-command">{text.sample}</code>
        </Empty>
        {!alone && <Calm />}
        <Grants />
      </div>
    );
  }
  return (
    <div className={queue.length > 1 ? 'asks asks-many' : 'asks'}>
      <Prompt
        key={shown.askDigest}
        queued={shown}
        position={queue.indexOf(shown) + 1}
        total={queue.length}
      />
      {queue.length > 1 && <Queue queue={queue} shown={shown} />}
    </div>
  );
}
