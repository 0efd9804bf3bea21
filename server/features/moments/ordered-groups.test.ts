import { expect, test } from "vitest";
import { OrderedGroups } from "@/server/features/moments/ordered-groups";

/** Groups whose storing ends when the test says so. */
function scene(failing?: { store?: number; commit?: number }) {
  const stores: { members: readonly number[]; done: () => void }[] = [];
  const committed: number[] = [];
  const abandoned: number[] = [];
  const groups = new OrderedGroups<number, number>({
    store: async (members) => {
      const at = stores.length;
      await new Promise<void>((done) => stores.push({ members, done }));
      if (at === failing?.store) throw new Error("the disk is full");
      return at;
    },
    commit: async (at) => {
      if (at === failing?.commit) throw new Error("undone");
      committed.push(at);
    },
    abandon: async (at) => void abandoned.push(at),
  });
  return { groups, stores, committed, abandoned };
}

/** Adds the members of so many groups, as far as there is room. */
async function fill({ add }: { add: (member: number) => Promise<void> }, groups: number): Promise<void> {
  for (let n = 0; n < 64 * groups; n++) await add(n);
}

test("a group is stored while the next is gathered, and groups are committed in the order of their members", async () => {
  const { groups, stores, committed } = scene();
  let added = 0;
  const filled = fill({ add: (member) => groups.add(member, 1).then(() => void (added = member)) }, 3);
  await expect.poll(() => stores.length).toBe(2);
  // Two groups are held: the third is not begun.
  expect(added).toBe(126);
  stores[1]?.done();
  stores[0]?.done();
  await expect.poll(() => stores.length).toBe(3);
  expect(committed).toContain(0);
  stores[2]?.done();
  await filled;
  await groups.flush();
  expect(committed).toEqual([0, 1, 2]);
  expect(stores.map(({ members }) => members.length)).toEqual([64, 64, 64]);
});

test("large members make small groups", async () => {
  const { groups, stores } = scene();
  void groups.add(1, 20_000_000);
  await expect.poll(() => stores.map(({ members }) => members.length)).toEqual([1]);
  stores[0]?.done();
  await groups.flush();
});

test("nothing is committed after a group that failed, and what was stored of the next is given up", async () => {
  const { groups, stores, committed, abandoned } = scene({ commit: 0 });
  const filled = fill({ add: (member) => groups.add(member, 1) }, 3);
  await expect.poll(() => stores.length).toBe(2);
  for (const { done } of stores) done();
  await expect(filled).rejects.toThrow("undone");
  await expect(groups.flush()).rejects.toThrow("undone");
  await groups.settle();
  expect(committed).toEqual([]);
  expect(abandoned).toEqual([1]);
});

test("a group that cannot be stored fails whoever adds more", async () => {
  const { groups, stores, committed } = scene({ store: 0 });
  void groups.add(1, 20_000_000);
  await expect.poll(() => stores.length).toBe(1);
  stores[0]?.done();
  await expect(groups.flush()).rejects.toThrow("the disk is full");
  expect(committed).toEqual([]);
});
