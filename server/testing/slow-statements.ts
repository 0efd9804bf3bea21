import { Prisma } from "@/server/platform/database/generated/client";
import { pool, prisma, query } from "@/server/platform/db";
import { inScope, RequestScope } from "@/server/platform/request-scope";
import { text } from "@/server/platform/rows";

// A process with slow statements: some by each way to send one, for a request, and then more than are logged in a
// minute. Ends with the test that started it.
process.once("disconnect", () => process.exit());
await inScope(new RequestScope(60_000, "the-request"), async () => {
  await pool.query({ name: "named", text: "select pg_sleep($1),\n  $2::text", values: [0.02, "a-value"] });
  const statement = Prisma.sql`select pg_sleep(${0.02})::text as slept, ${"a-value"}::text as value`;
  await query({ db: prisma }, { slept: text, value: text }, statement);
});
for (let n = 0; n < 25; n++) await pool.query("select pg_sleep($1)", [0.02]);
process.send?.({ done: true });
