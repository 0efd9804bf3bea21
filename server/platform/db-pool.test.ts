import { PrismaPg } from "@prisma/adapter-pg";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { PrismaClient, Prisma } from "@/server/platform/database/generated/client";
import { executeBytes, pool as ownPool, prisma as ownPrisma, query } from "@/server/platform/db";
import { LimitedPool, type PoolLimits } from "@/server/platform/db-pool";
import { env } from "@/server/platform/env";
import { inScope, RequestScope } from "@/server/platform/request-scope";
import { int4, queryRows } from "@/server/platform/rows";
import { findOutage } from "@/server/platform/unavailable";
import { onServer } from "@/server/testing/database";
import { type DatabaseProxy, startDatabaseProxy } from "@/server/testing/database-proxy";

const unlimited: PoolLimits = {
  connections: 2,
  waiting: Infinity,
  connectMs: 0,
  statementMs: 0,
  responseMs: 0,
  idleInTransactionMs: 0,
};

let proxy: DatabaseProxy;
beforeAll(async () => {
  proxy = await startDatabaseProxy(env.DATABASE_URL ?? "");
});
afterAll(() => proxy.close());

const opened: LimitedPool[] = [];
function open(limits: Partial<PoolLimits>): LimitedPool {
  const pool = new LimitedPool(proxy.url, { ...unlimited, ...limits });
  opened.push(pool);
  return pool;
}
afterEach(async () => {
  await proxy.restore();
  await Promise.all(opened.splice(0).map((pool) => pool.end()));
});

const prismaOn = (pool: LimitedPool) => new PrismaClient({ adapter: new PrismaPg(pool) });
/** Resolves to "answered", to the outage with which the promise rejected, or to another error. */
const awaitEnd = (promise: Promise<unknown>) =>
  promise.then(
    () => "answered",
    (error: unknown) => findOutage(error) ?? error,
  );

test("a process opens as many connections as it is set to", () => {
  expect(ownPool.options.max).toBe(env.DATABASE_POOL);
});

describe("a statement with many bytes", () => {
  const bytes = Buffer.alloc(100_000, 7);
  const insert = Prisma.sql`insert into kept_bytes values (${bytes})`;
  const count = Prisma.sql`select count(*)::int as count from kept_bytes where data = ${bytes}`;

  test("is run in the transaction, on a connection of whichever pool", async () => {
    await ownPool.query("create table kept_bytes (data bytea)");
    try {
      for (const prisma of [ownPrisma, prismaOn(open({}))]) {
        const undone = prisma.$transaction(async (db) => {
          await executeBytes({ db }, insert);
          expect(await query({ db }, { count: int4 }, count)).toEqual([{ count: 1 }]);
          throw new Error("undo it");
        });
        await expect(undone).rejects.toThrow("undo it");
        expect(await query({ db: prisma }, { count: int4 }, count)).toEqual([{ count: 0 }]);
      }
      await executeBytes({ db: ownPrisma }, insert);
      await ownPrisma.$transaction((db) => executeBytes({ db }, insert));
      expect(await query({ db: ownPrisma }, { count: int4 }, count)).toEqual([{ count: 2 }]);
    } finally {
      await ownPool.query("drop table kept_bytes");
    }
  });

  test("is not run on a connection whose process is another one than a pooler named", async () => {
    const [pool, other] = [open({}), open({})];
    const [held, elsewhere] = [await pool.connect(), await other.connect()];
    const [row] = await queryRows(held, { id: int4 }, "select pg_backend_pid() as id");
    const [away] = await queryRows(elsewhere, { id: int4 }, "select pg_backend_pid() as id");
    expect(await pool.findConnection(row!.id)).toBe(held);
    expect(await pool.findConnection(away!.id)).toBeNull();
    held.release();
    elsewhere.release();
    // As a pooler does: the id that a connection is given is not that of its process.
    const misled = open({ connections: 1 });
    misled.prependListener("connect", (client) => Object.assign(client, { processID: away!.id }));
    await misled.query("select 1");
    expect(await misled.findConnection(away!.id)).toBeNull();
  });
});

describe("a connection", () => {
  test("is waited for by a limited number of requests; further ones are refused immediately", async () => {
    const pool = open({ connections: 1, waiting: 1 });
    const held = await pool.connect();
    const waiting = inScope(new RequestScope(60_000), () => awaitEnd(pool.query("select 1")));
    expect(await inScope(new RequestScope(60_000), () => awaitEnd(pool.query("select 1")))).toBe("overloaded");
    const prisma = prismaOn(pool);
    expect(await inScope(new RequestScope(60_000), () => awaitEnd(prisma.$queryRaw`select 1`))).toBe("overloaded");
    held.release();
    expect(await waiting).toBe("answered");
  });

  test("is waited for by any number of callers that are not requests", async () => {
    const pool = open({ connections: 1, waiting: 1 });
    const held = await pool.connect();
    const waiting = Array.from({ length: 5 }, () => awaitEnd(pool.query("select 1")));
    held.release();
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 5 }, () => "answered"));
  });

  test("times out when none becomes free and when none can be opened", async () => {
    const pool = open({ connections: 1, connectMs: 2_000 });
    const held = await pool.connect();
    expect(await awaitEnd(pool.query("select 1"))).toBe("timeout");
    held.release(true);
    proxy.silence();
    expect(await awaitEnd(pool.query("select 1"))).toBe("timeout");
    await proxy.restore();
    expect(await awaitEnd(pool.query("select 1"))).toBe("answered");
  });

  test("that cannot be opened is reported as refused", async () => {
    await proxy.refuse();
    const pool = open({});
    expect(await awaitEnd(pool.query("select 1"))).toBe("refused");
    expect(await awaitEnd(prismaOn(pool).$queryRaw`select 1`)).toBe("refused");
    expect(await awaitEnd(prismaOn(pool).$transaction((tx) => tx.$queryRaw`select 1`))).toBe("refused");
  });

  test("is available again after transactions that lost theirs", async () => {
    const pool = open({ connections: 2 });
    const prisma = prismaOn(pool);
    const killed = () =>
      prisma.$transaction(async (tx) => {
        const [row] = await query({ db: tx }, { pid: int4 }, Prisma.sql`select pg_backend_pid() as pid`);
        await onServer(env.DATABASE_URL ?? "", (client) => client.query("select pg_terminate_backend($1)", [row?.pid]));
        await tx.user.count();
      });
    for (let round = 0; round < 5; round++) expect(await awaitEnd(killed())).toBe("lost");
    expect(await awaitEnd(prisma.user.count())).toBe("answered");
  });

  test("opened before another was lost is not reused", async () => {
    const pool = open({ connections: 3 });
    const clients = await Promise.all([pool.connect(), pool.connect(), pool.connect()]);
    const getPid = async (on: pg.Pool | pg.ClientBase) =>
      (await queryRows(on, { pid: int4 }, "select pg_backend_pid() as pid"))[0]?.pid;
    const pids = await Promise.all(clients.map(getPid));
    await onServer(env.DATABASE_URL ?? "", (client) => client.query("select pg_terminate_backend($1)", [pids[0]]));
    await vi.waitFor(
      async () => expect(await awaitEnd(clients[0]?.query("select 1") ?? Promise.resolve())).toBe("lost"),
      { timeout: 60_000 },
    );
    for (const client of clients) client.release();
    expect(pids).not.toContain(await getPid(pool));
  });
});

describe("a statement", () => {
  test("that takes too long is cancelled by PostgreSQL, unless the process has no such limit", async () => {
    const pool = open({ statementMs: 100 });
    expect(await awaitEnd(pool.query("select pg_sleep(0.5)"))).toBe("timeout");
    expect(await awaitEnd(prismaOn(pool).$queryRaw`select 1 from pg_sleep(0.5)`)).toBe("timeout");
    const longRunning = open({ statementMs: 100 });
    longRunning.setLimits(unlimited);
    expect(await awaitEnd(longRunning.query("select pg_sleep(0.5)"))).toBe("answered");
  });

  test("without a response from the server times out, and its connection is closed", async () => {
    const pool = open({ connections: 1, responseMs: 300 });
    const prisma = prismaOn(pool);
    const reads: (() => Promise<unknown>)[] = [
      () => pool.query("select 1"),
      () => prisma.user.count(),
      () => prisma.$transaction((tx) => tx.user.count()),
    ];
    for (const read of reads) {
      await read();
      proxy.silence();
      expect(await awaitEnd(read())).toBe("timeout");
      await proxy.restore();
      expect(await awaitEnd(read())).toBe("answered");
    }
  });

  test("in a transaction that times out leaves no session state for the next", async () => {
    const pool = open({ connections: 1, responseMs: 300 });
    const cut = prismaOn(pool).$transaction(async (tx) => {
      await tx.$executeRaw`create temporary table remains (n int)`;
      proxy.silence();
      await tx.user.count();
    });
    expect(await awaitEnd(cut)).toBe("timeout");
    await proxy.restore();
    expect((await pool.query("select to_regclass('remains') as remains")).rows).toEqual([{ remains: null }]);
  });

  test("waits no longer than its request may wait for all of its statements together", async () => {
    const pool = open({});
    const several = async () => {
      for (let n = 0; n < 4; n++) await pool.query("select pg_sleep(0.3)");
    };
    expect(await awaitEnd(several())).toBe("answered");
    expect(await inScope(new RequestScope(1_000), () => awaitEnd(several()))).toBe("timeout");
    expect(await awaitEnd(pool.query("select 1"))).toBe("answered");
  });

  test("queued on one connection behind others of its request has no longer than they all together", async () => {
    const pool = open({});
    const ends = await inScope(new RequestScope(1_400), async () => {
      const client = await pool.connect();
      const all = await Promise.all(Array.from({ length: 3 }, () => awaitEnd(client.query("select pg_sleep(0.6)"))));
      client.release(true);
      return all;
    });
    expect(ends.at(-1)).not.toBe("answered");
  });

  test("waits no longer than its request may, also where others take the idle connection first", async () => {
    const pool = open({ connections: 1, connectMs: 60_000 });
    await pool.query("select 1");
    const scope = new RequestScope(1_000);
    const ends = await inScope(scope, async () => {
      const held = pool.connect();
      const end = await awaitEnd(pool.query("select 1"));
      (await held).release();
      return end;
    });
    expect(ends).toBe("timeout");
  });

  test("concurrent with others of its request counts once", async () => {
    const pool = open({ connections: 4 });
    await Promise.all(Array.from({ length: 4 }, () => pool.query("select pg_sleep(0.1)")));
    const scope = new RequestScope(10_000);
    await inScope(scope, () => Promise.all(Array.from({ length: 4 }, () => pool.query("select pg_sleep(3)"))));
    expect(scope.leftMs).toBeGreaterThan(0);
  });

  test("of a request that has ended is not limited", async () => {
    const pool = open({});
    const scope = new RequestScope(100);
    const read = () => inScope(scope, () => awaitEnd(pool.query("select pg_sleep(0.3)")));
    expect(await read()).toBe("timeout");
    scope.end();
    expect(await read()).toBe("answered");
  });

  test("has the limit of its own request when it gets the connection of another request that timed out", async () => {
    const pool = open({ connections: 1 });
    const short = inScope(new RequestScope(300), () => awaitEnd(pool.query("select pg_sleep(5)")));
    const long = inScope(new RequestScope(60_000), () => awaitEnd(pool.query("select pg_sleep(0.5)")));
    expect([await short, await long]).toEqual(["timeout", "answered"]);
  });
});

test("a transaction that is idle for too long loses its locks", async () => {
  const pool = open({ idleInTransactionMs: 100 });
  const client = await pool.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  await client.query("begin");
  // The server ends it.
  const other = open({});
  const find = () => other.query("select from pg_stat_activity where pid = $1", [rows[0]?.pid]);
  await vi.waitFor(async () => expect((await find()).rowCount).toBe(0), { timeout: 60_000, interval: 50 });
  const end = await awaitEnd(client.query("select 1"));
  client.release(true);
  expect(["timeout", "lost"]).toContain(end);
});
