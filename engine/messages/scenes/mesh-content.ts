import { crc32 } from "@/engine/formats/codecs/crc32";
import { UnreadableMessage } from "@/engine/messages/reading";
import type { MeshContent } from "@/engine/messages/scene-object";
import { getMeshFormat, type MeshFormat } from "@/engine/robots/robot-files";

const maxBytes = 64 * 1024 * 1024;

/** Media types as Foxglove's models name them. */
const mediaTypes: Readonly<Record<string, MeshFormat>> = {
  "model/gltf-binary": "glb",
  "model/gltf+json": "gltf",
  "model/stl": "stl",
  "model/obj": "obj",
  "model/vnd.collada+xml": "dae",
};

/** A mesh that a message carries; null when it has no bytes. The bytes are copied: they outlive the message's chunk. */
export function readMeshContent(bytes: Uint8Array, mediaType: string, name: string): MeshContent | null {
  if (bytes.length === 0) return null;
  if (bytes.length > maxBytes) throw new UnreadableMessage("A mesh has more than 64 MiB.");
  const format = mediaTypes[mediaType.toLowerCase().split(";", 1)[0]!.trim()] ?? getMeshFormat(name);
  return { key: `${bytes.length} ${crc32(bytes)}`, format, bytes: bytes.slice() };
}
