import { freeName, type Build } from "@/server/demo/build-step";
import { createDataset } from "@/server/features/datasets/service";
import { addMoments } from "@/server/features/moments/many-service";
import { createSlice } from "@/server/features/slices/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { text } from "@/server/platform/rows";

const name = "What the cameras saw";
/** The alerts whose pictures are added: enough for a sequence of each robot, and quickly extracted. */
const maxAlerts = 6;
const marginMs = 30_000;

/** Adds what the demo's cameras saw around its alerts to a dataset of sequences, with two slices of it. */
export async function addDemoMoments({ step }: Build): Promise<void> {
  await step(async (tx) => {
    const present = await tx.db.dataset.findFirst({
      where: { organizationId: tx.organizationId, demo: true, isSequence: true },
      select: { uid: true },
    });
    if (present) return;
    const alerts = await listAlerts(tx);
    if (alerts.length === 0) return;
    const { uid } = await createDataset(tx, {
      name,
      data_type: "image",
      is_sequence: true,
      visibility: "private",
      access: "organization",
      demo: true,
    });
    await addMoments(tx, uid, {
      alerts,
      kinds: ["image"],
      before_ms: marginMs,
      after_ms: marginMs,
      every_ms: 0,
      first: false,
      clip: false,
      note: "",
    });
    const slices = await tx.db.slice.findMany({ where: { organizationId: tx.organizationId }, select: { name: true } });
    const names = slices.map((slice) => slice.name);
    const wanted = [
      {
        name: "Untouched moments",
        description: "Pictures around alerts that nobody has labelled.",
        filter_query_string: "status = unattempted AND annotations_count = 0",
      },
      {
        name: "Of front cameras",
        description: "Pictures whose topic is a front camera's.",
        filter_query_string: "metadata.source.topic ~ front",
      },
    ];
    for (const slice of wanted) await createSlice(tx, { ...slice, name: freeName(slice.name, names), dataset: uid });
  });
}

/** The first alerts of the demo in recordings with pictures. */
async function listAlerts(tx: Ctx): Promise<string[]> {
  const rows = await query(
    tx,
    { uid: text },
    Prisma.sql`select a.uid from alerts a where a.organization_id = ${tx.organizationId} and a.demo
      and exists (select 1 from topics t where t.recording_id = a.recording_id and t.organization_id = a.organization_id
        and t.schema_name like '%CompressedImage' and t.message_count > 0)
      order by a.triggered_at, a.uid limit ${maxAlerts}`,
  );
  return rows.map(({ uid }) => uid);
}
