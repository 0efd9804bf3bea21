import type { SceneObject } from "@/engine/messages/scene-object";

/** What one message shows in a 3-D scene, and what of it cannot be shown. */
export interface SceneMessage {
  objects: SceneObject[];
  notes: string[];
}
