/** Two soft tones, falling: the sound of an ask. In Hertz. */
const tones = [880, 660] as const;
const seconds = 0.12;
const loudness = 0.08;

let context: AudioContext | null = null;

/** Plays the sound of an ask. A browser that lets no page sound before it was touched stays silent. */
export function playSound(): void {
  if (!('AudioContext' in window)) return;
  context ??= new AudioContext();
  void context.resume();
  for (const [index, tone] of tones.entries()) {
    const at = context.currentTime + index * seconds;
    const source = context.createOscillator();
    const volume = context.createGain();
    source.frequency.value = tone;
    volume.gain.setValueAtTime(loudness, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + seconds);
    source.connect(volume).connect(context.destination);
    source.start(at);
    source.stop(at + seconds);
  }
}
