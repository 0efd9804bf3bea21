import { expect, test } from "vitest";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, pool, prisma } from "@/server/platform/db";
import { addMember, makeOrganization, unique } from "@/server/testing/factories";
import { request } from "@/server/testing/requests";
import { seedOrganization } from "@/server/testing/seed-organization";
import { readTableStatistics } from "@/server/testing/table-statistics";

test("a page of a long list of deliveries reads as few rows for a member as it shows", async () => {
  const org = await makeOrganization();
  const { by } = await seedOrganization(org, unique("long"));
  const member = await addMember(org);
  await prisma.dataset.update({ where: { uid: by.dataset }, data: { access: "assigned" } });
  // Pages that a vacuum reads would be counted too.
  await pool.query("alter table webhook_deliveries set (autovacuum_enabled = off)");
  await execute(
    { db: prisma },
    Prisma.sql`insert into webhook_deliveries (uid, organization_id, subscription_id, event_type, payload, object_id, status, updated_at)
      select 'dlv' || lpad(n::text, 8, '0'), ${org.uid}, ${by.webhook}, 'quality.alert', '{}', ${by.project}, 'delivered', now()
      from generate_series(1, 50000) n`,
  );
  await pool.query("analyze webhook_deliveries");
  for (const [name, value] of Object.entries({
    limit: "100",
    subscription: by.webhook,
    status: "delivered",
    event_type: "quality.alert",
    object: by.project,
  })) {
    const read = async () => {
      const filters = new URLSearchParams({ limit: "100", [name]: value });
      const { status, body } = await request("GET", `/webhook-deliveries/?${filters}`, { key: member.key });
      expect([status, body.results.length]).toEqual([200, 100]);
    };
    await read();
    const before = await readTableStatistics("webhook_deliveries");
    await read();
    const { pages } = await readTableStatistics("webhook_deliveries");
    expect([name, pages - before.pages < 250]).toEqual([name, true]);
  }
});
