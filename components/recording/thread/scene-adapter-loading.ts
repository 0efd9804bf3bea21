import { isCompressedCloudSchema, readCompressedCloud } from "@/engine/messages/clouds/compressed-cloud";
import type { SceneMessage } from "@/engine/messages/scene-message";
import type { LayerReading } from "@/engine/messages/scenes/layer-reading";
import { findLatestAdapter } from "@/engine/messages/scenes/scene-adapters";
import { loadDraco } from "./draco-loading";

/** What reads messages of a schema, with the decoder that it needs; null for schemas that are not drawn so. */
export async function loadLatestAdapter(
  schemaName: string,
): Promise<((value: unknown, reading?: LayerReading) => SceneMessage) | null> {
  if (!isCompressedCloudSchema(schemaName)) return findLatestAdapter(schemaName);
  const decoder = await loadDraco();
  return (value) => readCompressedCloud(value, decoder);
}
