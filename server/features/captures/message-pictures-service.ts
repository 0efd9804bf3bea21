import { z } from "zod";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { readPictureLink, signPictureLink } from "@/server/features/captures/picture-link";
import { CapturedPicture } from "@/server/features/captures/resource";
import { toPictureKey } from "@/server/features/captures/service";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { isLoopback } from "@/server/platform/loopback-host";
import { int8, jsonb, text } from "@/server/platform/rows";
import { objectStore } from "@/server/platform/storage/current";
import { ObjectMissing } from "@/server/platform/storage/store";

/** A picture of an alert as messages name it. */
interface MessagePicture {
  topic: string;
  /** When it was logged, RFC 3339. */
  at: string;
  /** From the trigger. */
  offset_ms: number;
  /** A link to this one picture, for whoever has it. */
  url: string;
  expires: string;
}

export interface MessagePictures {
  list: readonly MessagePicture[];
  /** The one of the moment. */
  shown: MessagePicture & { read: () => Promise<Uint8Array | null> };
  /** Whether services elsewhere can get pictures by their links. */
  isPublic: boolean;
}

const captureRow = { uid: text, organization_id: text, triggered_ns: int8, pictures: jsonb(z.array(CapturedPicture)) };

/** Captures of organizations whose messages carry pictures, and which are not being deleted. */
const ofSharing = Prisma.sql`alert_captures c join organizations o on o.uid = c.organization_id
    and o.deletes_at is null and o.settings->'pictures_in_messages' = 'true'`;

/** The pictures that messages about an alert carry; null where the organization wants none, and where there are none. */
export async function findMessagePictures(organizationId: string, alertId: string): Promise<MessagePictures | null> {
  const [row] = await query(
    { db: prisma },
    captureRow,
    Prisma.sql`select c.uid, c.organization_id, c.triggered_ns, c.pictures from ${ofSharing}
      where c.alert_id = ${alertId} and c.organization_id = ${organizationId}`,
  );
  if (!row) return null;
  const list = row.pictures.map((picture, index): MessagePicture => {
    const { path, expires } = signPictureLink(row.uid, index);
    return {
      topic: picture.topic,
      at: isoFromNs(row.triggered_ns + BigInt(picture.offset_ns)),
      offset_ms: Math.round(Number(picture.offset_ns) / 1e6),
      url: `${env.PUBLIC_URL}${path}`,
      expires: new Date(expires * 1_000).toISOString(),
    };
  });
  // Those of the trigger come first; where a camera had none then, another one says more than nothing.
  const shown = list[0];
  if (!shown) return null;
  const key = toPictureKey({ organizationId, uid: row.uid }, 0);
  const size = row.pictures[0]?.size_bytes ?? 0;
  const { protocol, hostname } = new URL(env.PUBLIC_URL);
  return {
    list,
    shown: { ...shown, read: () => readStored(key, size) },
    isPublic: protocol === "https:" && !isLoopback(hostname),
  };
}

/** The bytes of a picture; null when it was removed meanwhile. */
async function readStored(key: string, size: number): Promise<Uint8Array | null> {
  try {
    return await objectStore().readBytes(key, 0, size);
  } catch (error) {
    if (error instanceof ObjectMissing) return null;
    throw error;
  }
}

/** The picture of a link in a message; null for other links, and once pictures are not sent any more. */
export async function findLinkedPicture(url: URL): Promise<{ key: string; size: number } | null> {
  const link = readPictureLink(url);
  if (!link) return null;
  const [row] = await query(
    { db: prisma },
    captureRow,
    Prisma.sql`select c.uid, c.organization_id, c.triggered_ns, c.pictures from ${ofSharing}
      where c.uid = ${link.uid} and c.alert_id is not null and c.expires_at > now()`,
  );
  const picture = row?.pictures[link.index];
  if (!row || !picture) return null;
  return {
    key: toPictureKey({ organizationId: row.organization_id, uid: row.uid }, link.index),
    size: picture.size_bytes,
  };
}
