import { createHash } from "node:crypto";
import type { APIRequestContext } from "@playwright/test";
import { expect, registerDevice, type Api, type Device } from "./fixtures";

const magic = Buffer.from([0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a]);

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function record(opcode: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(9);
  head.writeUInt8(opcode);
  head.writeBigUInt64LE(BigInt(body.length), 1);
  return Buffer.concat([head, body]);
}

const u16 = (value: number): Buffer => Buffer.from([value & 255, value >> 8]);
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};

function attachments(content: string): Buffer[] {
  const bytes = Buffer.from(content);
  const map = Buffer.concat([text("calibrated"), text(content)]);
  return [
    record(9, u64(1n), u64(1n), text("calibration.yaml"), text("text/yaml"), u64(BigInt(bytes.length)), bytes, u32(0)),
    record(12, text("setup"), u32(map.length), map),
  ];
}

interface RecordingOptions {
  /** When it begins. */
  from?: string | number;
  /** The description of the field in its schema, which may name its unit. */
  description?: string;
  /** A file attached to it, and a metadata record of this text. */
  attached?: string;
  /** Has the field hold booleans, which no other recording's numbers can be compared with. */
  booleans?: true;
}

/** A small MCAP file: so many JSON messages of `/motor/temp`, ten a second, from 2026-02-01 on by default. */
export function recordingBytes(
  messages: number,
  { from = "2026-02-01T10:00:00Z", description, attached, booleans }: RecordingOptions = {},
): Buffer {
  const start = BigInt(new Date(from).getTime()) * 1_000_000n;
  const schema = JSON.stringify({
    type: "object",
    properties: { value: { type: booleans ? "boolean" : "number", ...(description !== undefined && { description }) } },
  });
  return Buffer.concat([
    magic,
    record(1, text(""), text("tests")),
    record(3, u16(1), text("Temperature"), text("jsonschema"), text(schema)),
    record(4, u16(1), u16(1), text("/motor/temp"), text("json"), u32(0)),
    ...Array.from({ length: messages }, (_, n) => {
      const at = start + BigInt(n) * 100_000_000n;
      return record(
        5,
        u16(1),
        u32(n),
        u64(at),
        u64(at),
        Buffer.from(JSON.stringify({ value: booleans ? n % 2 === 0 : 60 + 30 * Math.sin(n / 10) })),
      );
    }),
    ...(attached === undefined ? [] : attachments(attached)),
    record(15, u32(0)),
    record(2, u64(0n), u64(0n), u32(0)),
    magic,
  ]);
}

/** A recording of a device, or of a new one of a name, with its one file uploaded and finalized through the API. */
export async function uploadRecording(
  api: Api,
  request: APIRequestContext,
  { bytes, ...recording }: { bytes: Buffer; device: string | Device; name: string },
) {
  const device =
    typeof recording.device === "string" ? await registerDevice(api, { name: recording.device }) : recording.device;
  const created = { device_id: device.uid, name: recording.name };
  const { uid } = await api.post<{ uid: string }>("/fleet/recordings/", created);
  const path = "run.mcap";
  const session_uid = await beginUpload(api, uid, [{ path, size_bytes: bytes.length }]);
  await uploadFile(api, request, { uid, session_uid, path, bytes });
  await api.post(`/fleet/recordings/${uid}/upload/finalize/`, { session_uid });
  return { uid, device };
}

/** Begins the upload of a recording's files; returns its session. */
export async function beginUpload(
  api: Api,
  uid: string,
  files: readonly { path: string; size_bytes: number }[],
): Promise<string> {
  return (await api.post<{ uid: string }>(`/fleet/recordings/${uid}/upload/init/`, { files })).uid;
}

/** Uploads and confirms one file of a recording's upload. */
export async function uploadFile(
  api: Api,
  request: APIRequestContext,
  { uid, session_uid, path, bytes }: { uid: string; session_uid: string; path: string; bytes: Buffer },
): Promise<void> {
  const at = `/fleet/recordings/${uid}/upload`;
  const { urls } = await api.post<{ urls: { put_url: string; headers: Record<string, string> }[] }>(`${at}/urls/`, {
    session_uid,
    file_paths: [path],
  });
  const [target] = urls;
  if (!target) throw new Error("no address to upload to");
  await request.put(target.put_url, { data: bytes, headers: target.headers });
  const etag = createHash("md5").update(bytes).digest("hex");
  await api.post(`${at}/confirm/`, { session_uid, files: [{ path, size_bytes: bytes.length, etag }] });
}

/** Waits until a recording is processed. */
export const waitUntilReady = (api: Api, uid: string): Promise<void> =>
  expect.poll(async () => (await api.get<{ status: string }>(`/fleet/recordings/${uid}/`)).status).toBe("ready");
