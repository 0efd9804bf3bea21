import type { TopicFrames } from "@/components/recording/thread/topic-frames";
import { isCalibrationSchema } from "@/engine/messages/pictures/calibration";
import { isBoxSchema, isDetectionSchema, isOverlaySchema } from "@/engine/messages/pictures/overlay-schemas";
import { isCameraSchema } from "@/engine/messages/pictures/picture-schemas";
import { isCloudSchema } from "@/engine/messages/scene-schemas";

/** A topic of a recording. */
export interface PanelTopic {
  name: string;
  schema: string;
  /** As text beyond what a number holds. */
  message_count: number | string;
  frequency_hz: number;
}

/** What belongs to a camera, or may be drawn over it. */
export interface CompanionTopics {
  calibration: string | null;
  /** `isNear`: of the same camera, as far as names say it. Boxes in space belong to none. `isScored`: what a detector found. */
  overlays: readonly { name: string; frequency_hz: number; isNear: boolean; isScored: boolean }[];
  /** Points that can be drawn where the camera sees them, the nearest by name first. */
  clouds: readonly { name: string; frequency_hz: number }[];
}

/** How many parts two names of topics begin with together. */
function countShared(a: string, b: string): number {
  const [left, right] = [a.split("/").filter(Boolean), b.split("/").filter(Boolean)];
  let shared = 0;
  while (shared < left.length && left[shared] === right[shared]) shared += 1;
  return shared;
}

/** The topics of a recording that tell what belongs to which of several cameras; empty where there is one. */
export function listFramed(topics: readonly PanelTopic[]): string[] {
  if (topics.filter(({ schema }) => isCameraSchema(schema)).length <= 1) return [];
  const companions = topics.filter(({ schema }) => isCalibrationSchema(schema) || isOverlaySchema(schema));
  if (companions.length === 0) return [];
  const cameras = topics.filter(({ schema }) => isCameraSchema(schema));
  return [...cameras, ...companions].map(({ name }) => name);
}

/**
 * The topics that go with a camera: those whose messages name its frame. Where one of both names no frame, or not that of
 * any camera, those whose names begin as its own, or all where it is the only one.
 */
export function findCompanions(
  camera: string,
  topics: readonly PanelTopic[],
  frames: TopicFrames = {},
): CompanionTopics {
  const cameras = topics.filter(({ schema }) => isCameraSchema(schema));
  const isOnly = cameras.length <= 1;
  const cameraFrames = new Set(cameras.flatMap(({ name }) => frames[name] ?? []));
  /** Whether a topic says itself that it belongs to the camera; null when it does not say to which. */
  const saysSo = (name: string): boolean | null => {
    const [own, other] = [frames[camera], frames[name]];
    return own === undefined || other === undefined || !cameraFrames.has(other) ? null : own === other;
  };
  const byNearness = topics
    .map((topic) => ({ ...topic, shared: countShared(camera, topic.name), says: saysSo(topic.name) }))
    .sort(
      (a, b) => Number(b.says === true) - Number(a.says === true) || b.shared - a.shared || (a.name < b.name ? -1 : 1),
    );
  const isNear = ({ shared, says }: { shared: number; says: boolean | null }) => says ?? (isOnly || shared > 0);
  const calibration = byNearness.find((topic) => isCalibrationSchema(topic.schema) && isNear(topic));
  return {
    calibration: calibration?.name ?? null,
    overlays: byNearness
      .filter(({ schema }) => isOverlaySchema(schema))
      .map((topic) => ({
        name: topic.name,
        frequency_hz: topic.frequency_hz,
        isNear: isNear(topic) && !isBoxSchema(topic.schema),
        isScored: isDetectionSchema(topic.schema),
      })),
    clouds: byNearness
      .filter(({ schema }) => isCloudSchema(schema))
      .map(({ name, frequency_hz }) => ({ name, frequency_hz })),
  };
}
