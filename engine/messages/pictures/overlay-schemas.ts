import { toShortName } from "@/engine/messages/reading";

/** Which schemas are drawn over pictures; apart from what reads them, so that pages need not load that. By short names. */

/** Circles, points, lines and texts over a picture. */
const imageAnnotationSchemas: readonly string[] = ["foxglove.ImageAnnotations"];

/** Markers over a picture: one in a message, or a list. */
export const imageMarkerSchemas: readonly string[] = [
  "visualization_msgs/ImageMarker",
  "visualization_msgs/ImageMarkerArray",
  "foxglove.ImageMarkerArray",
];

/** What a detector found in a picture. */
export const detectionSchemas: readonly string[] = ["vision_msgs/Detection2DArray"];

const schemas: ReadonlySet<string> = new Set([...imageAnnotationSchemas, ...imageMarkerSchemas, ...detectionSchemas]);

/** Whether messages hold boxes in space, which are drawn over pictures by a camera's calibration. */
export const isBoxSchema = (schemaName: string): boolean => toShortName(schemaName) === "vision_msgs/Detection3DArray";

/** Whether messages hold what a detector found, each with a score. */
export const isDetectionSchema = (schemaName: string): boolean =>
  detectionSchemas.includes(toShortName(schemaName)) || isBoxSchema(schemaName);

/** Whether messages are drawn over pictures, boxes in space by the camera's calibration. */
export const isOverlaySchema = (schemaName: string): boolean =>
  schemas.has(toShortName(schemaName)) || isBoxSchema(schemaName);
