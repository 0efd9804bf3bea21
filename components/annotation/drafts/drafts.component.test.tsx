import { afterEach, describe, expect, test } from "vitest";
import type { DraftOp, DraftShape } from "@/domain/annotations/draft-schema";
import { applyOps, type DraftShapes } from "@/domain/annotations/draft-shape";
import { noHistory } from "../store/history";
import { makeBox } from "../testing/drafts-of-tests";
import { openDraft } from "./draft-merge";
import { DraftSender, takeOps, type DraftTransport, type SaveAnswer, type SaveRequest } from "./draft-sender";
import { countUnsent, DraftStore, removeOldDrafts } from "./draft-store";
import { MemoryDraft } from "./memory-draft";

const owner = { organization: "org", user: "ana", task: "task" };
const kept = { history: noHistory, unfinished: null };
const put = (id: string, x = 0): DraftOp => ({ op: "put", id, shape: makeBox(id, [x, 0, 10, 10]) });

const opened: DraftStore[] = [];
async function open(members: Partial<typeof owner> = {}): Promise<DraftStore> {
  const store = await DraftStore.open({ ...owner, ...members });
  opened.push(store);
  return store;
}

afterEach(async () => {
  for (const store of opened.splice(0)) store.close();
  await new Promise<void>((resolve, reject) => {
    const request = indexedDB.deleteDatabase("muster-drafts");
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error ?? new Error("not deleted"));
  });
});

/** A server that holds a draft by the rules of the API; `answers` come first, then it saves. */
function createServer(answers: (SaveAnswer | "lost")[] = []) {
  const requests: SaveRequest[] = [];
  const server = { shapes: new Map() as DraftShapes, version: 0, n: 0, requests };
  const save: DraftTransport["save"] = async (request) => {
    requests.push(request);
    const next = answers.shift();
    if (next && next !== "lost") return next;
    const first = request.n - request.ops.length + 1;
    // A repeated change is nothing.
    const news = request.ops.filter((_, at) => first + at > server.n);
    server.shapes = applyOps(server.shapes, news);
    if (news.length > 0) server.version += 1;
    server.n = Math.max(server.n, request.n);
    if (next === "lost") throw new TypeError("Failed to fetch");
    return { said: "saved", version: server.version, n: server.n };
  };
  return { ...server, save, get: () => server };
}

const xs = (shapes: DraftShapes) => [...shapes.values()].map(({ coordinates }: DraftShape) => coordinates["x"]);

describe("a browser", () => {
  test("holds each change, and what survives a reload, until the server has it", async () => {
    const store = await open();
    await store.add([put("a", 1)], kept);
    const unfinished = { tool: "polygon" as const, label_id: "forklift", points: [[1, 2] as const] };
    await store.add([], { ...kept, unfinished });
    const again = await (await open()).read();
    expect(again.ops).toEqual([{ n: 1, op: put("a", 1) }]);
    expect(again.kept?.unfinished).toEqual(unfinished);
    await store.acknowledge(1, 7);
    const after = await store.read();
    expect(after).toMatchObject({ ops: [], version: 7, client: again.client });
    expect(xs(after.shapes)).toEqual([1]);
  });

  test("shows a person's changes to nobody else, nor on another task", async () => {
    await (await open()).add([put("a")], kept);
    for (const other of [{ user: "ben" }, { organization: "other" }, { task: "task-2" }])
      expect((await (await open(other)).read()).ops).toEqual([]);
  });

  test("numbers changes of a draft that was opened anew after those before", async () => {
    const store = await open();
    await store.add([put("a"), put("b")], kept);
    const rebased = { shapes: new Map(), version: 3, ops: [put("b", 5)], proposals: [], kept };
    await store.rebase(() => rebased);
    expect((await store.read()).ops).toEqual([{ n: 3, op: put("b", 5) }]);
  });

  test("keeps what was saved for seven days, and what was not sent for thirty, of anybody", async () => {
    const days = (count: number) => Date.now() + count * 24 * 60 * 60 * 1_000;
    const saved = await open({ task: "saved" });
    await saved.add([put("a")], kept);
    await saved.acknowledge(1, 1);
    await (await open({ user: "ben" })).add([put("a"), put("b")], kept);
    await removeOldDrafts(days(6));
    expect(xs((await saved.read()).shapes)).toEqual([0]);
    await removeOldDrafts(days(8));
    expect(xs((await saved.read()).shapes)).toEqual([]);
    expect(await countUnsent("ben")).toEqual({ changes: 2, tasks: 1 });
    expect(await countUnsent("ana")).toEqual({ changes: 0, tasks: 0 });
    await removeOldDrafts(days(31));
    expect(await countUnsent("ben")).toEqual({ changes: 0, tasks: 0 });
  });

  test("that takes no more hands over what it holds, under the same name and the numbers that follow", async () => {
    const store = await open();
    await store.add([put("a"), put("b")], kept);
    await store.acknowledge(1, 4);
    const memory = new MemoryDraft(await store.read());
    await memory.add([put("c")], kept);
    const { client, ops, version } = await memory.read();
    expect({ client, version }).toEqual({ client: (await store.read()).client, version: 4 });
    expect(ops.map(({ n, op }) => [n, op.id])).toEqual([
      [2, "b"],
      [3, "c"],
    ]);
    await memory.acknowledge(3, 5);
    expect((await memory.read()).ops).toEqual([]);
    expect(xs((await memory.read()).shapes)).toHaveLength(3);
  });
});

describe("opening", () => {
  const theirs = (...shapes: DraftShape[]) => ({
    shapes: new Map(shapes.map((shape) => [shape.id, shape])),
    version: 5,
  });
  const note = "yours of 14:02";
  const name = () => note;

  test("goes on with what was not sent while the server stayed as it was", async () => {
    const store = await open();
    await openDraft(store, theirs(makeBox("a", [1, 0, 10, 10])), name);
    await store.add([put("a", 2), put("b", 3)], kept);
    const draft = await openDraft(await open(), theirs(makeBox("a", [1, 0, 10, 10])), name);
    expect(draft.shapes.map(({ coordinates }) => coordinates["x"])).toEqual([2, 3]);
    expect((await store.read()).ops.map(({ n }) => n)).toEqual([1, 2]);
  });

  test("offers own changes of shapes that others changed meanwhile, until somebody decides, also after a reload", async () => {
    const store = await open();
    await openDraft(store, theirs(makeBox("a", [1, 0, 10, 10])), name);
    await store.add([put("a", 2), put("b", 3)], kept);
    const now = { ...theirs(makeBox("a", [9, 0, 10, 10])), version: 6 };
    const draft = await openDraft(store, now, name);
    expect(draft.shapes.map(({ coordinates }) => coordinates["x"])).toEqual([9, 3]);
    const offered = [{ id: "a", shape: makeBox("a", [2, 0, 10, 10]), note }];
    expect(draft.proposals).toEqual(offered);
    expect((await openDraft(await open(), now, () => "later")).proposals).toEqual(offered);
    await store.decide("a");
    expect((await openDraft(await open(), now, () => "later")).proposals).toEqual([]);
    expect((await store.read()).ops.map(({ op }) => op.id)).toEqual(["b"]);
  });
});

describe("a server whose database was restored from a backup", () => {
  const note = "yours of 14:02";
  const a = makeBox("a", [1, 0, 10, 10]);

  const sortXs = (shapes: Iterable<DraftShape>) =>
    Array.from(shapes, ({ coordinates }) => Number(coordinates["x"])).toSorted((one, two) => one - two);

  /** A browser that drew and sent `a`, moved it, and sent `b`, with a change that is not sent. */
  async function draw(server: ReturnType<typeof createServer>): Promise<DraftStore> {
    const store = await open();
    await openDraft(store, server.get(), () => note);
    const sender = new DraftSender(store, server, () => {});
    for (const op of [put("a", 1), put("a", 2), put("b", 3)]) {
      await store.add([op], kept);
      await sender.flush();
    }
    await sender.stop();
    await store.add([put("c", 4)], kept);
    return store;
  }

  test.each([
    { of: "before the draft", shapes: [], version: 0, shown: [2, 3, 4], offered: [] },
    { of: "an earlier version", shapes: [a], version: 1, shown: [1, 3, 4], offered: ["a"] },
    { of: "an earlier version, with as many changes since", shapes: [a], version: 3, shown: [1, 3, 4], offered: ["a"] },
  ])("gets what it lacks again, of $of, and what it has otherwise is offered", async (backup) => {
    const server = createServer();
    const store = await draw(server);
    expect(server.get().version).toBe(3);
    Object.assign(server.get(), {
      shapes: new Map(backup.shapes.map((each) => [each.id, each])),
      version: backup.version,
      n: 0,
    });
    const draft = await openDraft(await open(), server.get(), () => note);
    expect(sortXs(draft.shapes)).toEqual(backup.shown);
    expect(draft.proposals.map(({ id }) => id)).toEqual(backup.offered);
    const sender = new DraftSender(store, server, () => {});
    await sender.flush();
    await sender.stop();
    expect(sortXs(server.get().shapes.values())).toEqual(backup.shown);
    // Once it has all, nothing is offered or sent a second time.
    const again = await openDraft(await open(), server.get(), () => "later");
    expect(again.shapes).toHaveLength(backup.shown.length);
    expect(again.proposals.map(({ id }) => id)).toEqual(backup.offered);
    expect((await store.read()).ops).toEqual([]);
  });
});

describe("sending", () => {
  test("brings all changes in their order, and a request whose answer was lost changes nothing twice", async () => {
    const store = await open();
    const server = createServer(["lost"]);
    const sender = new DraftSender(store, server, () => {});
    await store.add([put("a", 1)], kept);
    await store.add([put("a", 2), put("b", 3)], kept);
    await sender.flush();
    expect(sender.state).toMatchObject({ answer: "unreachable", waiting: 3 });
    await store.add([{ op: "drop", id: "b" }], kept);
    await sender.flush();
    expect(xs(server.get().shapes)).toEqual([2]);
    expect(server.get()).toMatchObject({ n: 4, version: 2 });
    expect((await store.read()).ops).toEqual([]);
    expect(sender.state).toMatchObject({ answer: "saved", waiting: 0 });
    await sender.stop();
  });

  test.each(["wait", "signed_out", "taken", "moved", "refused"] as const)(
    "that the server answers with %s loses nothing",
    async (said) => {
      const store = await open();
      const answers = {
        wait: { said: "wait", seconds: 600 },
        signed_out: { said: "signed_out" },
        taken: { said: "taken" },
        moved: { said: "moved" },
        refused: { said: "refused", detail: "ops.0.shape: too large" },
      } as const;
      const server = createServer([answers[said]]);
      const states: unknown[] = [];
      const sender = new DraftSender(store, server, ({ answer, detail }) => void states.push([answer, detail]));
      await store.add([put("a", 1)], kept);
      await sender.flush();
      expect(states).toContainEqual([said, said === "refused" ? "ops.0.shape: too large" : null]);
      expect((await store.read()).ops).toHaveLength(1);
      await sender.flush();
      expect(xs(server.get().shapes)).toEqual([1]);
      await sender.stop();
    },
  );

  test("begins by itself soon after a change", async () => {
    const store = await open();
    const server = createServer();
    const sender = new DraftSender(store, server, () => {});
    await store.add([put("a", 1)], kept);
    sender.changed(1);
    await expect.poll(() => xs(server.get().shapes)).toEqual([1]);
    await sender.stop();
  });

  test("goes on after the browser gave no access to what it holds", async () => {
    const store = await open();
    await store.add([put("a", 1)], kept);
    let refusals = 1;
    const keeper = new Proxy(store, {
      get: (target, member) => {
        if (member === "read" && refusals-- > 0)
          return () => Promise.reject(new DOMException("The database connection is closing.", "InvalidStateError"));
        const value: unknown = Reflect.get(target, member);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
    const server = createServer();
    const sender = new DraftSender(keeper, server, () => {});
    await sender.flush();
    expect(server.requests).toEqual([]);
    await sender.flush();
    expect(xs(server.get().shapes)).toEqual([1]);
    await sender.stop();
  });

  test("is over when it was stopped, whatever the server says then", async () => {
    const store = await open();
    await store.add([put("a", 1)], kept);
    const server = createServer();
    let answer = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    const save: DraftTransport["save"] = async (request) => {
      const saved = await server.save(request);
      await held;
      return saved;
    };
    const sender = new DraftSender(store, { save }, () => {});
    void sender.flush();
    await expect.poll(() => server.requests.length).toBe(1);
    const stopped = sender.stop();
    answer();
    await stopped;
    expect(await store.read()).toMatchObject({ ops: [], version: 1 });
  });

  test("takes at most 500 changes or 256 KiB in a request, and one of any size alone", async () => {
    const many = Array.from({ length: 1_200 }, (_, at) => ({ n: at + 1, op: put(`s${at}`) }));
    expect(takeOps(many)).toHaveLength(500);
    const large = { n: 1, op: { ...put("a"), id: "x".repeat(300_000) } };
    expect(takeOps([large, large])).toHaveLength(1);
    const store = await open();
    const server = createServer();
    await store.add(
      many.map(({ op }) => op),
      kept,
    );
    await new DraftSender(store, server, () => {}).flush();
    expect(server.requests.map(({ ops }) => ops.length)).toEqual([500, 500, 200]);
    expect(server.get().shapes.size).toBe(1_200);
  });
});
