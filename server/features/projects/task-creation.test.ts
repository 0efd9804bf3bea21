import { expect, test } from "vitest";
import { z } from "zod";
import { prisma } from "@/server/platform/db";
import { openChanges, startListening } from "@/server/testing/changes";
import { picture, pictures, readItems, uploadTo } from "@/server/testing/datasets";
import { makeOrganization, unique } from "@/server/testing/factories";
import { requestsWith } from "@/server/testing/requests";

test("open pages learn of the tasks of items that come later", async () => {
  const org = await makeOrganization();
  const call = requestsWith(() => org.key);
  const dataset = await pictures(org, 1);
  const body = { name: unique("p"), task_type: "image-annotation", datasets: [dataset.uid] };
  const { uid } = (await call<{ uid: string }>("POST", "/projects/", body)).body;
  await call("POST", `/projects/${uid}/approve/`);
  const stop = await startListening();
  const pages = await openChanges(org);
  try {
    const seen = pages.reported.length;
    await uploadTo(org, dataset, { "later.png": await picture() });
    await readItems();
    expect(await prisma.task.count({ where: { projectId: uid } })).toBe(2);
    const isProject = ({ data }: { data: unknown }) =>
      z.object({ kind: z.literal("project"), uid: z.literal(uid) }).safeParse(data).success;
    await pages.until((reported) => reported.slice(seen).some(isProject));
  } finally {
    await pages.close();
    await stop();
  }
});
