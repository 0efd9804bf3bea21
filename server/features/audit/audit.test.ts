import { v7 } from "uuid";
import { beforeAll, describe, expect, test } from "vitest";
import { csvCell } from "@/domain/csv";
import { exportAudit } from "@/server/features/audit/audit-queries";
import type { AuditResource } from "@/server/features/audit/resource";
import { audit } from "@/server/features/audit/service";
import { pool } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { queryRows, text } from "@/server/platform/rows";
import {
  addMember,
  makeDevice,
  makeKey,
  makeOrganization,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { request, createTrpcCaller } from "@/server/testing/requests";

let own: TestOrganization;
let member: TestMember;
let deviceId: string;
const formula = '=HYPERLINK("http://x","y")';

beforeAll(async () => {
  own = await makeOrganization();
  member = await addMember(own, "member");
  deviceId = (await makeDevice(own, { name: "first" })).uid;
  await request("PATCH", `/fleet/devices/${deviceId}/`, { key: own.key, body: { name: formula } });
  await makeDevice(own, { name: "second" });
});

const list = (query = "", key = own.key) => request<Page<AuditResource>>("GET", `/audit-log/${query}`, { key });
const actions = async (query: string) => (await list(query)).body.results.map(({ action }) => action);

describe("the audit log", () => {
  test("lists actor, action, object and address, newest first", async () => {
    const { body } = await list();
    expect(body.results.map(({ action }) => action)).toEqual(["device.created", "device.updated", "device.created"]);
    const key = await createTrpcCaller(own).apiKeys.list({ mine: true });
    expect(body.results[1]).toMatchObject({
      actor_type: "api_key",
      actor_id: key.results[0]?.uid,
      target_type: "device",
      target_id: deviceId,
      before: { name: "first" },
      after: { name: formula },
      request_id: expect.any(String),
    });
    expect(body.results[2]).toMatchObject({ actor_type: "user", actor_id: own.owner.uid, ip: "127.0.0.1" });
  });

  test("can be read by owners and admins with full access only", async () => {
    const admin = await addMember(own, "admin");
    expect((await list("", admin.key)).status).toBe(200);
    expect((await list("", member.key)).status).toBe(403);
    expect((await list("", await makeKey(own, own.owner, { scopes: ["fleet.read"] }))).status).toBe(403);
    await expect(createTrpcCaller(own, member).audit.list({})).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(createTrpcCaller(own, member).audit.export({})).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  test("never shows another organization's entries", async () => {
    const other = await makeOrganization();
    expect((await list("", other.key)).body.results).toEqual([]);
    expect((await list(`?target_id=${deviceId}&actor_id=${own.owner.uid}`, other.key)).body.results).toEqual([]);
    expect((await createTrpcCaller(other).audit.export({})).rows).toBe(0);
  });

  test("is filtered by actor, action, object and time", async () => {
    expect(await actions(`?actor_id=${own.owner.uid}`)).toEqual(["device.created", "device.created"]);
    expect(await actions("?action=device.updated")).toEqual(["device.updated"]);
    expect(await actions("?action=device.updated,device.created&limit=2")).toEqual([
      "device.created",
      "device.updated",
    ]);
    expect(await actions(`?target_id=${deviceId}`)).toEqual(["device.updated", "device.created"]);
    expect(await actions("?actor_id=not-a-uid")).toEqual([]);
    expect(await actions("?target_id=' or 1=1 --")).toEqual([]);
    const [newest, oldest] = (await list("?action=device.created")).body.results;
    expect(await actions(`?since=${newest?.created_at}`)).toContain("device.created");
    expect(await actions(`?until=${oldest?.created_at}`)).toEqual([]);
    expect(await actions(`?since=2200-01-01T00:00:00Z&until=2100-01-01T00:00:00Z`)).toEqual([]);
    expect(Object.keys((await list("?since=yesterday")).body)).toEqual(["since"]);
  });

  test("`since` is inclusive and `until` is exclusive", async () => {
    const place = await makeOrganization();
    const at = new Date("2026-01-01T00:00:00.500Z");
    await pool.query(
      `insert into audit_entries (uid, organization_id, actor_type, actor_id, actor_name, action, target_type, target_id, created_at)
       values ($1, $2, 'user', 'u', 'u', 'x', 't', 'i', $3)`,
      [v7({ msecs: at.getTime() + 30_000 }), place.uid, at],
    );
    const count = async (query: string) => (await list(query, place.key)).body.results.length;
    expect(await count("?since=2026-01-01T00:00:00.500Z")).toBe(1);
    expect(await count("?since=2026-01-01T00:00:00.501Z")).toBe(0);
    expect(await count("?until=2026-01-01T00:00:00.500Z")).toBe(0);
    expect(await count("?until=2026-01-01T00:00:00.501Z")).toBe(1);
  });

  test("pages without repeating or skipping while entries are added", async () => {
    const place = await makeOrganization();
    for (let i = 0; i < 5; i++) await audit(place.ctx, { action: "a", targetType: "t", targetId: String(i) });
    const seen: string[] = [];
    for (let url: string | null = "/audit-log/?limit=2&action=a"; url !== null;) {
      const { body }: { body: Page<AuditResource> } = await request<Page<AuditResource>>("GET", url, {
        key: place.key,
      });
      seen.push(...body.results.map(({ target_id }) => target_id));
      await audit(place.ctx, { action: "a", targetType: "t", targetId: "late" });
      url = body.next;
    }
    expect(seen).toEqual(["4", "3", "2", "1", "0"]);
  });

  test("has an index for every filter", async () => {
    const rows = await queryRows(
      pool,
      { columns: text },
      `select substring(indexdef from '\\((.*)\\)$') as columns from pg_indexes where tablename = 'audit_entries'`,
    );
    expect(rows.map(({ columns }) => columns)).toEqual(
      expect.arrayContaining(
        ["", "actor_id, ", "action, ", "target_id, "].map((filter) => `organization_id, ${filter}uid`),
      ),
    );
  });
});

describe("the export of the audit log", () => {
  test("contains the same entries, and nothing a spreadsheet would run", async () => {
    const { csv, rows, truncated, file_name } = await createTrpcCaller(own).audit.export({ target_id: deviceId });
    expect([rows, truncated]).toEqual([2, false]);
    expect(file_name).toMatch(/^audit-\d{4}-\d\d-\d\d\.csv$/);
    const [head, first] = csv.split("\r\n");
    expect(head).toBe(
      "created_at,actor_type,actor_id,actor_name,action,target_type,target_id,target_name,before,after,ip,request_id,count",
    );
    expect(first).toContain(`"'=HYPERLINK(""http://x"",""y"")"`);
  });

  test("reads in chunks and reports when it was truncated", async () => {
    const place = await makeOrganization();
    await pool.query(
      `insert into audit_entries (uid, organization_id, actor_type, actor_id, actor_name, action, target_type, target_id)
       select gen_random_uuid()::text, $1, 'user', 'u', 'u', 'x', 't', n::text from generate_series(1, 2500) n`,
      [place.uid],
    );
    const full = await exportAudit(place.ctx, { action: ["x"] });
    expect([full.rows, full.truncated, new Set(full.csv.split("\r\n")).size]).toEqual([2500, false, 2502]);
    const part = await exportAudit(place.ctx, { action: ["x"] }, 1500);
    expect([part.rows, part.truncated]).toEqual([1500, true]);
    expect((await exportAudit(place.ctx, { action: ["x"] }, 2500)).truncated).toBe(false);
  });

  test.each([
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    [-1, "-1"],
    ["@SUM(1)", "'@SUM(1)"],
    [" =1", "' =1"],
    ["\t=1", "'\t=1"],
    ["\r=1", '"\'\r=1"'],
    ["\n=1", '"\'\n=1"'],
    ["plain", "plain"],
    ['a "b", c', '"a ""b"", c"'],
    [null, ""],
    [{ a: "=1" }, '"{""a"":""=1""}"'],
  ])("writes %j as %j", (value, cell) => {
    expect(csvCell(value)).toBe(cell);
  });
});
