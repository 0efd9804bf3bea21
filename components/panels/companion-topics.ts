import { isCalibrationSchema } from "@/engine/messages/calibration";
import { isOverlaySchema } from "@/engine/messages/picture-overlays";
import { isCameraSchema } from "@/engine/messages/pictures";

/** A topic of a recording. */
export interface PanelTopic {
  name: string;
  schema: string;
  frequency_hz: number;
}

/** What belongs to a camera, or may be drawn over it. */
export interface CompanionTopics {
  calibration: string | null;
  /** `isNear`: of the same camera, as far as names say it. */
  overlays: readonly { name: string; frequency_hz: number; isNear: boolean }[];
}

/** How many parts two names of topics begin with together. */
function countShared(a: string, b: string): number {
  const [left, right] = [a.split("/").filter(Boolean), b.split("/").filter(Boolean)];
  let shared = 0;
  while (shared < left.length && left[shared] === right[shared]) shared += 1;
  return shared;
}

/** The topics that go with a camera: those whose names begin as its own, or all where it is the only one. */
export function findCompanions(camera: string, topics: readonly PanelTopic[]): CompanionTopics {
  const isOnly = topics.filter(({ schema }) => isCameraSchema(schema)).length <= 1;
  const byNearness = topics
    .map((topic) => ({ ...topic, shared: countShared(camera, topic.name) }))
    .sort((a, b) => b.shared - a.shared || (a.name < b.name ? -1 : 1));
  const isNear = ({ shared }: { shared: number }) => isOnly || shared > 0;
  const calibration = byNearness.find((topic) => isCalibrationSchema(topic.schema) && isNear(topic));
  return {
    calibration: calibration?.name ?? null,
    overlays: byNearness
      .filter(({ schema }) => isOverlaySchema(schema))
      .map((topic) => ({ name: topic.name, frequency_hz: topic.frequency_hz, isNear: isNear(topic) })),
  };
}
