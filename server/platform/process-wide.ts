/**
 * Creates one instance per process. A web process contains this code in three bundles (main, Next's routes, Next's
 * pages), so a module-level variable would exist three times; pools, clients, buses and limiters are made here instead.
 */
const key = Symbol.for("muster.processWide");
const holder = globalThis as typeof globalThis & { [key]?: Map<string, unknown> };
const store = (holder[key] ??= new Map<string, unknown>());

export function processWide<T>(name: string, create: () => T): T {
  if (!store.has(name)) store.set(name, create());
  return store.get(name) as T;
}
