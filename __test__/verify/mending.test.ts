import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DiskSessionStore, verify } from 'namzu-native';
import { describe, expect, it } from 'vitest';
import { diskWorld } from '../support/disk-world.js';
import { subSessionFile } from '../support/paths.js';
import { editRecord } from '../support/tree.js';
import { ALPHA } from '../support/world.js';

describe('a link between sessions that was changed by hand', () => {
  it('is found when `.store/index` is removed, and nothing else', async () => {
    const { world, root } = await diskWorld();
    const [parent, child, other] = [
      await world.session(),
      await world.session(),
      await world.session(),
    ];
    const edge = await world.edge(parent, child);
    await (world.store as DiskSessionStore).close();
    await editRecord(root, subSessionFile(parent, edge), { childSessionId: other.id });
    expect(await verify(root)).toMatchObject([{ kind: 'stale_index' }]);
    rmSync(join(root, '.store', 'index'));

    const store = new DiskSessionStore({ rootDir: root });
    expect(await store.getAncestry(other.id, ALPHA)).toStrictEqual([parent.id, other.id]);
    expect(await store.getAncestry(child.id, ALPHA)).toStrictEqual([child.id]);
    await store.appendMessage(child.id, { role: 'user', content: 'on' }, ALPHA);
    await expect(store.deleteSession(other.id, ALPHA)).rejects.toThrow('attached');
    await store.close();
    expect(await verify(root)).toStrictEqual([]);
  });
});
