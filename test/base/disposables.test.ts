import { expect, test } from 'vitest';
import { createDisposables } from '../../shared/base/disposables.ts';

test('closes in the opposite order, each step after the one before', async () => {
  const seen: string[] = [];
  const closing = createDisposables();
  closing.add('first', () => seen.push('first'));
  closing.add('second', async () => {
    await Promise.resolve();
    seen.push('second');
  });
  closing.add('third', () => seen.push('third'));
  await closing.dispose();
  expect(seen).toEqual(['third', 'second', 'first']);
});

test('a step that fails keeps no other from its turn, and all failures are told', async () => {
  const seen: string[] = [];
  const closing = createDisposables();
  closing.add('the lock', () => seen.push('the lock'));
  closing.add('the log', async () => Promise.reject(new Error('disk')));
  closing.add('the socket', () => seen.push('the socket'));
  closing.add('the timer', () => {
    throw new Error('clock');
  });
  const failure: unknown = await closing.dispose().catch((error: unknown) => error);
  expect(seen).toEqual(['the socket', 'the lock']);
  expect(failure).toBeInstanceOf(AggregateError);
  expect(failure).toMatchObject({
    message: 'the timer could not be closed; the log could not be closed',
    errors: [{ cause: { message: 'clock' } }, { cause: { message: 'disk' } }],
  });
});

test('closes once, and takes nothing more from then on', async () => {
  let times = 0;
  const closing = createDisposables();
  closing.add('it', () => (times += 1));
  await Promise.all([closing.dispose(), closing.dispose()]);
  expect(times).toBe(1);
  expect(() => closing.add('late', () => undefined)).toThrow('late was opened');
});
