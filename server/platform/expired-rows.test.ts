import { expect, test } from "vitest";
import { prisma } from "@/server/platform/db";
import { deleteExpired } from "@/server/platform/expired-rows";
import { unique } from "@/server/testing/factories";

test("expired rows are deleted in several statements, and others stay", async () => {
  const mark = unique("expired");
  const key = (n: number, days: number) => {
    const at = new Date(Date.now() + days * 86_400_000);
    return { key: `${mark}-${n}`, bodyHash: "h", attempt: "a", runningUntil: at, expiresAt: at };
  };
  const data = [...[1, 2, 3, 4, 5].map((n) => key(n, -1)), key(6, 1)];
  await prisma.idempotencyKey.createMany({ data });
  expect(await deleteExpired("idempotency_keys", 2)).toBeGreaterThanOrEqual(5);
  const left = await prisma.idempotencyKey.findMany({ where: { key: { startsWith: mark } } });
  expect(left.map((row) => row.key)).toEqual([`${mark}-6`]);
  await prisma.idempotencyKey.deleteMany({ where: { key: `${mark}-6` } });
});
