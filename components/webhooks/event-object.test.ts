import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { eventObjectKinds } from "@/domain/platform-events/event-object";
import { objectHref, objectLabels } from "./event-object";

const pages = path.resolve("app/(dashboard)");

test("what an event is about leads to its page, where there is one", () => {
  expect(objectHref({ kind: "export", uid: "e1", name: "Crossings" })).toBe("/exports/e1");
  for (const kind of eventObjectKinds) {
    const hasPage = fs.existsSync(path.join(pages, `${kind}s`, "[uid]", "page.tsx"));
    expect([objectLabels[kind], objectHref({ kind, uid: "u", name: "" })]).toEqual([
      objectLabels[kind],
      hasPage ? `/${kind}s/u` : null,
    ]);
  }
});
