/** What a stream was asked for is settled when it is asked for. */

import type { MessageId, MessageRange } from 'namzu-native';
import { expect, it } from 'vitest';
import { ALPHA, World } from '../support/world.js';
import { describeStores, said } from './stores.js';

describeStores((make) => {
  const filled = async () => {
    const store = make();
    const { id } = await (await World.in(store)).session();
    await store.appendMessages(id, ['1', '2', '3', '4'].map(said), ALPHA);
    return { store, id };
  };

  it('even when the options change later', async () => {
    const { store, id } = await filled();
    const range: { limit: number; before?: MessageId } = { limit: 1 };
    const stream = store.streamMessages(id, ALPHA, range);
    range.limit = 3;
    range.before = 'msg_nowhere';
    const texts: unknown[] = [];
    for await (const { message } of stream) texts.push(message.content);
    expect(texts).toStrictEqual(['4']);
  });

  it('and what is wrong is told by the first next, without a throw at the call', async () => {
    const { store, id } = await filled();
    const wrong: MessageRange[] = [{ limit: -1 }, { limit: '2' as never }, 5 as never];
    for (const range of wrong) {
      const stream = store.streamMessages(id, ALPHA, range);
      await expect(stream.next()).rejects.toMatchObject({ name: 'InvalidArgumentError' });
      expect(await stream.next()).toStrictEqual({ value: undefined, done: true });
    }
    const stream = store.streamMessages(5 as never, ALPHA);
    await expect(stream.next()).rejects.toMatchObject({ name: 'InvalidArgumentError' });
  });

  it('holes among messages are refused like any other that is none', async () => {
    const { store, id } = await filled();
    const messages = [said('a'), said('b'), said('c')];
    delete messages[1];
    for (const call of [
      () => store.appendMessages(id, messages, ALPHA),
      () => store.replaceMessages(id, messages, ALPHA),
    ]) {
      await expect(call()).rejects.toMatchObject({
        name: 'InvalidArgumentError',
        details: { argument: 'messages.1' },
      });
    }
    expect(await store.countMessages(id, ALPHA)).toBe(4);
  });
});
