import { openDB, type DBSchema, type IDBPDatabase, type IDBPTransaction } from "idb";
import { v4 as uuidv4 } from "uuid";
import type { DraftOp, DraftShape } from "@/domain/annotations/draft-schema";
import { applyOps, type DraftShapes } from "@/domain/annotations/draft-shape";
import type { KeptWork, Proposal } from "../store/editor-snapshot";
import type { DraftKeeper, RebasedDraft, StoredDraft } from "./draft-keeper";

/** Whose work on what: others see none of it. */
export interface DraftOwner {
  organization: string;
  user: string;
  task: string;
}
type Owner = [organization: string, user: string, task: string];

interface StoredState {
  owner: Owner;
  /** This browser's name in the server's draft. */
  client: string;
  /** The number of the last change. */
  n: number;
  /** The version of the server's draft that `shapes` are. */
  version: number;
  kept: KeptWork | null;
  /** Own changes that somebody has still to decide about. */
  proposals: readonly Proposal[];
  /** When it was changed last, in milliseconds. */
  at: number;
  lease: string | null;
}

interface DraftTables extends DBSchema {
  ops: { key: [...Owner, number]; value: { key: [...Owner, number]; n: number; op: DraftOp; at: number } };
  state: { key: Owner; value: StoredState };
  /** What the server is known to have. */
  shapes: { key: [...Owner, string]; value: { key: [...Owner, string]; shape: DraftShape } };
}

const last = "￿";
const rangeEnds = { ops: Infinity, shapes: last } as const;
const tables = ["ops", "state", "shapes"] as const;

const openTables = (): Promise<IDBPDatabase<DraftTables>> =>
  openDB<DraftTables>("muster-drafts", 1, {
    upgrade(db) {
      db.createObjectStore("ops", { keyPath: "key" });
      db.createObjectStore("state", { keyPath: "owner" });
      db.createObjectStore("shapes", { keyPath: "key" });
    },
  });

type DraftTransaction = IDBPTransaction<DraftTables, typeof tables, "readwrite">;

const toRange = (owner: Owner, end: number | string): IDBKeyRange => IDBKeyRange.bound([...owner], [...owner, end]);

async function clearOwner(transaction: DraftTransaction, owner: Owner): Promise<void> {
  await transaction.objectStore("ops").delete(toRange(owner, rangeEnds.ops));
  await transaction.objectStore("shapes").delete(toRange(owner, rangeEnds.shapes));
  await transaction.objectStore("state").delete(owner);
}

const day = 24 * 60 * 60 * 1_000;
/** Milliseconds after the last change for which drafts are kept: those that the server has, and those that it has not. */
const keptFor = { saved: 7 * day, unsent: 30 * day };

/** Removes drafts of anybody that were left long ago. */
export async function removeOldDrafts(now = Date.now()): Promise<void> {
  const db = await openTables();
  const transaction = db.transaction(tables, "readwrite");
  for (const { owner, at, proposals } of await transaction.objectStore("state").getAll()) {
    const unsent = await transaction.objectStore("ops").count(toRange(owner, rangeEnds.ops));
    const limit = unsent > 0 || proposals.length > 0 ? keptFor.unsent : keptFor.saved;
    if (at < now - limit) await clearOwner(transaction, owner);
  }
  await transaction.done;
  db.close();
}

/** How many changes of a person this browser holds that the server does not have, and of how many tasks. */
export async function countUnsent(user: string): Promise<{ changes: number; tasks: number }> {
  const db = await openTables();
  const owners = (await db.getAllKeys("state")).filter((owner) => owner[1] === user);
  const counts = await Promise.all(owners.map((owner) => db.count("ops", toRange(owner, rangeEnds.ops))));
  db.close();
  const held = counts.filter((count) => count > 0);
  return { changes: held.reduce((sum, count) => sum + count, 0), tasks: held.length };
}

/** The draft of one person in this browser. Each change is on disk before it is reported as stored. */
export class DraftStore implements DraftKeeper {
  private constructor(
    private readonly db: IDBPDatabase<DraftTables>,
    private readonly owner: Owner,
  ) {}

  /** Throws where the browser stores nothing. */
  static async open({ organization, user, task }: DraftOwner): Promise<DraftStore> {
    return new DraftStore(await openTables(), [organization, user, task]);
  }

  private range(table: keyof typeof rangeEnds): IDBKeyRange {
    return toRange(this.owner, rangeEnds[table]);
  }

  private begin(): DraftTransaction {
    return this.db.transaction(tables, "readwrite", { durability: "strict" });
  }

  private createState(): StoredState {
    return {
      owner: this.owner,
      client: uuidv4(),
      n: 0,
      version: 0,
      kept: null,
      proposals: [],
      at: Date.now(),
      lease: null,
    };
  }

  private async load(transaction: DraftTransaction): Promise<{ state: StoredState; draft: StoredDraft }> {
    const known = await transaction.objectStore("state").get(this.owner);
    const state = known ?? this.createState();
    if (!known) await transaction.objectStore("state").put(state);
    const ops = await transaction.objectStore("ops").getAll(this.range("ops"));
    const listed = await transaction.objectStore("shapes").getAll(this.range("shapes"));
    const { client, n: number, version, kept, proposals, at, lease } = state;
    const shapes = new Map(listed.map(({ shape }) => [shape.id, shape]));
    return {
      state,
      draft: {
        client,
        n: number,
        version,
        shapes,
        ops: ops.map(({ n, op }) => ({ n, op })),
        kept,
        proposals,
        at,
        lease,
      },
    };
  }

  async read(): Promise<StoredDraft> {
    const transaction = this.begin();
    const { draft } = await this.load(transaction);
    await transaction.done;
    return draft;
  }

  /** Stores changes and what goes with them, all or nothing. */
  async add(ops: readonly DraftOp[], kept: KeptWork): Promise<void> {
    const transaction = this.begin();
    const state = (await transaction.objectStore("state").get(this.owner)) ?? this.createState();
    const at = Date.now();
    for (const op of ops) {
      state.n += 1;
      await transaction.objectStore("ops").put({ key: [...this.owner, state.n], n: state.n, op, at });
    }
    await transaction.objectStore("state").put({ ...state, kept, at });
    await transaction.done;
  }

  /** The server has the changes up to a number: they are known as its shapes and are not sent again. */
  async acknowledge(n: number, version: number): Promise<void> {
    const transaction = this.begin();
    const shapes = transaction.objectStore("shapes");
    for (const { key, op, n: number } of await transaction.objectStore("ops").getAll(this.range("ops"))) {
      if (number > n) break;
      const known = await shapes.get([...this.owner, op.id]);
      const before: DraftShapes = new Map(known ? [[op.id, known.shape]] : []);
      const shape = applyOps(before, [op]).get(op.id);
      if (shape) await shapes.put({ key: [...this.owner, op.id], shape });
      else await shapes.delete([...this.owner, op.id]);
      await transaction.objectStore("ops").delete(key);
    }
    const state = (await transaction.objectStore("state").get(this.owner)) ?? this.createState();
    await transaction.objectStore("state").put({ ...state, version });
    await transaction.done;
  }

  async rebase(change: (stored: StoredDraft) => RebasedDraft | null): Promise<void> {
    const transaction = this.begin();
    const { state, draft } = await this.load(transaction);
    const rebased = change(draft);
    if (rebased) {
      const { shapes, version, ops, proposals, kept } = rebased;
      await transaction.objectStore("shapes").delete(this.range("shapes"));
      await transaction.objectStore("ops").delete(this.range("ops"));
      for (const [id, shape] of shapes)
        await transaction.objectStore("shapes").put({ key: [...this.owner, id], shape });
      const at = Date.now();
      for (const op of ops) {
        state.n += 1;
        await transaction.objectStore("ops").put({ key: [...this.owner, state.n], n: state.n, op, at });
      }
      await transaction.objectStore("state").put({ ...state, version, proposals, kept });
    }
    await transaction.done;
  }

  /** Somebody decided about the own changes of a shape. */
  async decide(id: string): Promise<void> {
    const transaction = this.begin();
    const state = (await transaction.objectStore("state").get(this.owner)) ?? this.createState();
    const proposals = state.proposals.filter((each) => each.id !== id);
    await transaction.objectStore("state").put({ ...state, proposals });
    await transaction.done;
  }

  async keepLease(lease: string | null): Promise<void> {
    const transaction = this.begin();
    const state = await transaction.objectStore("state").get(this.owner);
    if (state) await transaction.objectStore("state").put({ ...state, lease });
    await transaction.done;
  }

  async clear(): Promise<void> {
    const transaction = this.begin();
    await clearOwner(transaction, this.owner);
    await transaction.done;
  }

  close(): void {
    this.db.close();
  }
}
