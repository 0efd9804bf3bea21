import { inQueryTurn } from "@/server/features/signals/query-turn";

// Takes the turn of an organization to query and never gives it back. Ends with the test that started it.
process.once("disconnect", () => process.exit());
await inQueryTurn(process.env.ORGANIZATION ?? "", async () => {
  process.send?.({ holds: true });
  await new Promise(() => {});
});
