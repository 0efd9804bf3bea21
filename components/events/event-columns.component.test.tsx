import { expect, test } from "vitest";
import { show } from "@/components/testing/host";
import { EventSource } from "./event-columns";

test("a source names who made an event, unless the label of the event says it already", async () => {
  const event = { source: "rule", source_name: "Motor overheating", label: "Motor overheating" } as const;
  const said = await show(<EventSource event={event} />, "/events");
  await expect.element(said.getByTitle("Rule: Motor overheating")).toHaveTextContent(/^Rule$/);
  const other = await show(<EventSource event={{ ...event, label: "Too hot" }} />, "/events");
  await expect.element(other.getByTitle("Rule: Motor overheating").last()).toHaveTextContent("Motor overheating Rule");
});
