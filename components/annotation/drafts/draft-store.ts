import { openDB, type DBSchema, type IDBPDatabase } from "idb";
import type { DraftOp, DraftShape } from "@/domain/annotations/draft-schema";
import { applyOps, type DraftShapes } from "@/domain/annotations/draft-shape";
import type { KeptWork, Proposal } from "../store/editor-snapshot";

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
}

interface DraftTables extends DBSchema {
  ops: { key: [...Owner, number]; value: { key: [...Owner, number]; n: number; op: DraftOp; at: number } };
  state: { key: Owner; value: StoredState };
  /** What the server is known to have. */
  shapes: { key: [...Owner, string]; value: { key: [...Owner, string]; shape: DraftShape } };
}

export interface NumberedOp {
  n: number;
  op: DraftOp;
}

/** What a browser holds of a draft. */
export interface StoredDraft {
  client: string;
  version: number;
  shapes: DraftShapes;
  /** Changes that the server has not acknowledged, in their order. */
  ops: readonly NumberedOp[];
  kept: KeptWork | null;
  proposals: readonly Proposal[];
  at: number;
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

/** The draft of one person in this browser. Each change is on disk before it is reported as stored. */
export class DraftStore {
  private constructor(
    private readonly db: IDBPDatabase<DraftTables>,
    private readonly owner: Owner,
  ) {}

  /** Throws where the browser stores nothing. */
  static async open({ organization, user, task }: DraftOwner): Promise<DraftStore> {
    return new DraftStore(await openTables(), [organization, user, task]);
  }

  private range(table: keyof typeof rangeEnds): IDBKeyRange {
    return IDBKeyRange.bound([...this.owner], [...this.owner, rangeEnds[table]]);
  }

  private begin() {
    return this.db.transaction(tables, "readwrite", { durability: "strict" });
  }

  private createState(): StoredState {
    return {
      owner: this.owner,
      client: crypto.randomUUID(),
      n: 0,
      version: 0,
      kept: null,
      proposals: [],
      at: Date.now(),
    };
  }

  async read(): Promise<StoredDraft> {
    const transaction = this.begin();
    const known = await transaction.objectStore("state").get(this.owner);
    const state = known ?? this.createState();
    if (!known) await transaction.objectStore("state").put(state);
    const ops = await transaction.objectStore("ops").getAll(this.range("ops"));
    const shapes = await transaction.objectStore("shapes").getAll(this.range("shapes"));
    await transaction.done;
    const { client, version, kept, proposals, at } = state;
    const byId = new Map(shapes.map(({ shape }) => [shape.id, shape]));
    return { client, version, shapes: byId, ops: ops.map(({ n, op }) => ({ n, op })), kept, proposals, at };
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

  /** The server's draft as it is now, and the own changes that are left to be sent, under new numbers. */
  async replace(
    shapes: DraftShapes,
    version: number,
    ops: readonly DraftOp[],
    proposals: readonly Proposal[],
  ): Promise<void> {
    const transaction = this.begin();
    await transaction.objectStore("shapes").delete(this.range("shapes"));
    await transaction.objectStore("ops").delete(this.range("ops"));
    for (const [id, shape] of shapes) await transaction.objectStore("shapes").put({ key: [...this.owner, id], shape });
    const state = (await transaction.objectStore("state").get(this.owner)) ?? this.createState();
    const at = Date.now();
    for (const op of ops) {
      state.n += 1;
      await transaction.objectStore("ops").put({ key: [...this.owner, state.n], n: state.n, op, at });
    }
    await transaction.objectStore("state").put({ ...state, version, proposals });
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

  close(): void {
    this.db.close();
  }
}
