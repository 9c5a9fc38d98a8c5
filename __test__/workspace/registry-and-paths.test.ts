import { join } from 'node:path';
import {
  configureLogger,
  DefaultPathBuilder,
  getRootLogger,
  InvalidIdError,
  parseWorktreeList,
  type WorkspaceBackendDriver,
  WorkspaceBackendRegistry,
} from 'namzu-native';
import { afterEach, describe, expect, it, vi } from 'vitest';

describe('WorkspaceBackendRegistry', () => {
  const driver = (kind: string) => ({ kind }) as unknown as WorkspaceBackendDriver;

  it('keeps one driver for each kind', () => {
    const registry = new WorkspaceBackendRegistry();
    expect(registry.has('tmpfs')).toBe(false);
    expect(() => registry.get('tmpfs')).toThrow('tmpfs');
    const [first, second] = [driver('tmpfs'), driver('tmpfs')];
    registry.register(first);
    registry.register(driver('container'));
    registry.register(second);
    expect(registry.get('tmpfs')).toBe(second);
    expect(registry.has('container')).toBe(true);
  });
});

describe('DefaultPathBuilder', () => {
  it('builds the paths of the record tree', () => {
    const paths = new DefaultPathBuilder('/data/');
    expect(paths.rootDir()).toBe('/data/');
    expect(paths.projectDir('prj_a')).toBe(join('/data', 'projects', 'prj_a'));
    const session = join('/data', 'projects', 'prj_a', 'sessions', 'ses_b');
    expect(paths.sessionDir('prj_a', 'ses_b')).toBe(session);
    expect(paths.subSessionDir('prj_a', 'ses_b', 'sub_c')).toBe(
      join(session, 'subsessions', 'sub_c'),
    );
    expect(paths.runDir('prj_a', 'ses_b', 'run_d')).toBe(join(session, 'runs', 'run_d'));
  });

  it('refuses ids that are no path components', () => {
    const paths = new DefaultPathBuilder('/data');
    expect(() => paths.projectDir('prj_../x')).toThrow(InvalidIdError);
    expect(() => paths.sessionDir('prj_a', 'ses_' as never)).toThrow(InvalidIdError);
    expect(() => paths.subSessionDir('prj_a', 'ses_b', 'prj_c' as never)).toThrow(InvalidIdError);
    for (const run of ['run_/x', '..', '', '.', 'run_\0', 'run_.', 'a'.repeat(200)]) {
      expect(() => paths.runDir('prj_a', 'ses_b', run as never)).toThrow(InvalidIdError);
    }
  });
});

describe('parseWorktreeList', () => {
  const list =
    'worktree /r\nHEAD 1\nbranch refs/heads/main\n\nworktree /r/w x\nHEAD 2\ndetached\n\n';

  it('finds one record, with the keys that it has', () => {
    expect(parseWorktreeList(list, '/r')).toEqual({
      path: '/r',
      head: '1',
      branch: 'refs/heads/main',
    });
    expect(parseWorktreeList(list, '/r/w x')).toEqual({ path: '/r/w x', head: '2' });
    expect(parseWorktreeList('worktree /b\nbare\n', '/b')).toEqual({ path: '/b' });
    expect(parseWorktreeList(list, '/r/w')).toBeNull();
    expect(parseWorktreeList('', '/r')).toBeNull();
  });
});

describe('the root logger', () => {
  afterEach(() => {
    configureLogger();
    vi.restoreAllMocks();
  });

  it('writes lines to standard error, from its level up', () => {
    const written: string[] = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      written.push(String(text));
      return true;
    });
    const before = getRootLogger();
    before.debug('no');
    before.child({ component: 'C' }).info('hello', { n: 1n, self: undefined });
    expect(written).toEqual([
      expect.stringMatching(/^\S+Z INFO hello \{"component":"C","n":"1"\}\n$/),
    ]);
    configureLogger({ level: 'error' });
    getRootLogger().warn('no');
    expect(getRootLogger()).not.toBe(before);
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    getRootLogger().error('yes', cyclic);
    expect(written).toHaveLength(2);
  });
});
