import type { FileMetadata } from "@/domain/datasets/schema";
import type { ByteSource } from "@/engine/formats/byte-source";
import { requireAllPoints } from "@/engine/messages/clouds/complete";
import { DamagedPoints } from "@/engine/messages/clouds/points-file";
import { NotAnItem, type Examined } from "@/server/features/datasets/examined";

const headerBytes = 16_384;

const damaged = () => new NotAnItem("The header of the point cloud is damaged.");

async function readHeader(file: ByteSource, end: RegExp): Promise<string[]> {
  const text = Buffer.from(await file.read(0, Math.min(headerBytes, file.size))).toString("latin1");
  const match = end.exec(text);
  if (!match) throw damaged();
  return text.slice(0, match.index + match[0].length).split(/\r?\n/);
}

const count = (text: string | undefined): number => {
  if (!/^\d{1,12}$/.test(text ?? "")) throw damaged();
  return Number(text);
};

/**
 * Reads number and fields of the points of a cloud from its header. Throws a NotAnItem, also for a file that ends before
 * its points.
 */
export async function examinePoints(file: ByteSource, mediaType: string, signal: AbortSignal): Promise<Examined> {
  const format = mediaType === "pointcloud/ply" ? "ply" : "pcd";
  const metadata = format === "ply" ? await readPly(file) : await readPcd(file);
  await requireAllPoints(file, format, signal).catch((error: unknown) => {
    throw error instanceof DamagedPoints ? new NotAnItem(error.message) : error;
  });
  return { mediaType, metadata, thumbnail: null, tint: null, sha256: null };
}

async function readPcd(file: ByteSource): Promise<FileMetadata> {
  const lines = await readHeader(file, /^DATA\s+\S+/m);
  const entries = new Map(
    lines
      .filter((line) => !line.startsWith("#"))
      .map((line) => {
        const [name = "", ...rest] = line.trim().split(/\s+/);
        return [name.toUpperCase(), rest] as const;
      }),
  );
  const [width, height] = [count(entries.get("WIDTH")?.[0]), count(entries.get("HEIGHT")?.[0])];
  return {
    format: "pcd",
    width,
    height,
    point_count: entries.has("POINTS") ? count(entries.get("POINTS")?.[0]) : width * height,
    fields: entries.get("FIELDS") ?? [],
    encoding: entries.get("DATA")?.[0] ?? "",
  };
}

async function readPly(file: ByteSource): Promise<FileMetadata> {
  const lines = (await readHeader(file, /^end_header/m)).map((line) => line.trim().split(/\s+/));
  const fields: string[] = [];
  let [points, element, encoding] = [0, "", ""];
  for (const [word, ...rest] of lines) {
    if (word === "format") encoding = rest[0] ?? "";
    if (word === "element") {
      element = rest[0] ?? "";
      if (element === "vertex") points = count(rest[1]);
    }
    if (word === "property" && element === "vertex") fields.push(rest.at(-1) ?? "");
  }
  if (encoding === "" || fields.length === 0) throw damaged();
  // Gaussian splats are point clouds whose points have a shape.
  return {
    format: "ply",
    point_count: points,
    fields,
    encoding,
    splat: fields.includes("scale_0") && fields.includes("rot_0"),
  };
}
