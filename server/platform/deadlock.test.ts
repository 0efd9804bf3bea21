import { expect, test } from "vitest";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, transaction } from "@/server/platform/db";
import { makeOrganization } from "@/server/testing/factories";

/** Two transactions that lock the same two rows in opposite orders, each the second row once both have their first. */
async function lockCrosswise(attempts?: number) {
  const [{ uid: a }, { uid: b }] = [await makeOrganization(), await makeOrganization()];
  let runs = 0;
  let holding = 0;
  let haveBoth = () => {};
  const both = new Promise<void>((resolve) => (haveBoth = resolve));
  const lock = (uids: readonly string[]) =>
    transaction(
      { db: prisma },
      async (tx) => {
        runs += 1;
        for (const uid of uids) {
          await execute(tx, Prisma.sql`select 1 from organizations where uid = ${uid} for update`);
          if (++holding === 2) haveBoth();
          await both;
        }
      },
      { ...(attempts !== undefined && { attempts }) },
    );
  const ends = await Promise.allSettled([lock([a, b]), lock([b, a])]);
  return { runs, ends: ends.map(({ status }) => status).sort() };
}

test("of two transactions that wait for each other the database ends one", async () => {
  expect(await lockCrosswise()).toEqual({ runs: 2, ends: ["fulfilled", "rejected"] });
});

test("one that may be tried again is, once the other has ended", async () => {
  expect(await lockCrosswise(2)).toEqual({ runs: 3, ends: ["fulfilled", "fulfilled"] });
});
