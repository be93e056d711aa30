import { create } from 'zustand';

interface Words {
  readonly text: string;
  /** Makes the same words, announced twice, two messages. */
  readonly turn: number;
}

const useWords = create<Words>()(() => ({ text: '', turn: 0 }));

/** Has a screen reader say something once. */
export function announce(text: string): void {
  useWords.setState(({ turn }) => ({ text, turn: turn + 1 }));
}

/** The live region that `announce` fills; there is one in the page. */
export function Announcer() {
  const { text, turn } = useWords();
  return (
    <div className="visually-hidden" role="status" aria-live="assertive" aria-atomic="true">
      <span key={turn}>{text}</span>
    </div>
  );
}
