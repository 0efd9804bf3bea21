import { randomUUID } from "node:crypto";
// The anchor: what bare node:http and pg do for the same work, with no key, no limits, no validation and no schema.
import http from "node:http";
import pg from "pg";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20, options: "-c TimeZone=UTC" });
const { organizationId, recordingId, deviceId } = JSON.parse(process.env.BENCH_TARGET ?? "{}");

const devices = `select d.uid, d.name, d.type, d.status, d.tags, d.last_seen_at, d.firmware_version, d.metadata, d.metrics,
  array(select m.group_id from device_group_members m where m.device_id = d.uid order by 1) as group_ids,
  d.demo, d.created_at, d.updated_at
  from devices d where d.organization_id = $1 order by d.uid desc limit 51`;

const columns = `uid, organization_id, recording_id, device_id, type, severity, label, description, timestamp_ns, tags,
  metadata, source`;
const values = (event) => [
  `evt_${randomUUID()}`,
  organizationId,
  recordingId,
  deviceId,
  event.type,
  "info",
  event.label,
  event.description ?? "",
  String(Date.parse(event.timestamp) * 1e6),
  event.tags ?? [],
  JSON.stringify(event.metadata ?? {}),
  "api_key",
];
const insertOne = `insert into events (${columns}) values ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12) returning *`;

async function body(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

const routes = {
  "/devices": async () => (await pool.query({ name: "devices", text: devices, values: [organizationId] })).rows,
  "/event": async (request) => {
    const { rows } = await pool.query({ name: "event", text: insertOne, values: values(await body(request)) });
    return rows[0];
  },
  "/batch": async (request) => {
    const { events } = await body(request);
    const parameters = events.flatMap(values);
    const width = 12;
    const tuples = events.map(
      (_, i) => `(${Array.from({ length: width }, (_, j) => `$${i * width + j + 1}`).join(",")})`,
    );
    const text = `insert into events (${columns}) values ${tuples.join(",")} returning *`;
    return (await pool.query({ name: "batch", text, values: parameters })).rows;
  },
};

http
  .createServer((request, response) => {
    routes[request.url](request).then(
      (result) => response.setHeader("content-type", "application/json").end(JSON.stringify(result)),
      (error) => {
        response.statusCode = 500;
        response.end(String(error));
      },
    );
  })
  .listen(0, "127.0.0.1", function () {
    console.log(JSON.stringify({ port: this.address().port }));
  });
