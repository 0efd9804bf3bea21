import type { Calibration, Pinhole } from "@/engine/messages/pictures/camera-model";
import {
  readFields,
  readList,
  readNumber,
  readPart,
  readText,
  toShortName,
  UnreadableMessage,
  type Fields,
} from "@/engine/messages/reading";

const schemas: readonly string[] = ["sensor_msgs/CameraInfo", "foxglove.CameraCalibration"];
export const isCalibrationSchema = (schemaName: string): boolean => schemas.includes(toShortName(schemaName));

/** How a lens bends: Brown's polynomial, that one over another, or Kannala and Brandt's for wide angles. */
const models = {
  plumb_bob: "polynomial",
  rational_polynomial: "polynomial",
  kannala_brandt: "angle",
  equidistant: "angle",
  fisheye: "angle",
} as const;

const readNumbers = (fields: Fields, name: string): number[] =>
  Array.from(readList(fields, fields[name] === undefined ? name.toUpperCase() : name), Number);

/** A message of a camera's calibration. Throws UnreadableMessage where the camera is not calibrated. */
export function readCalibration(value: unknown): Calibration {
  const fields = readFields(value);
  const k = readNumbers(fields, "k");
  const [fx = 0, , cx = 0, , fy = 0, cy = 0] = k;
  if (fx === 0 || fy === 0) throw new UnreadableMessage("The camera is not calibrated: K[0] is 0.");
  if (![...k].every(Number.isFinite)) throw new UnreadableMessage('The field "k" holds values that are no numbers.');
  const name = readText(fields, "distortion_model");
  const distortion = readNumbers(fields, "d");
  const model = name === "" ? "polynomial" : findModel(name);
  if (!distortion.every(Number.isFinite))
    throw new UnreadableMessage('The field "d" holds values that are no numbers.');
  const p = readNumbers(fields, "p");
  const r = readNumbers(fields, "r");
  const size = { width: readNumber(fields, "width"), height: readNumber(fields, "height") };
  const camera = { fx, fy, cx, cy };
  // Some drivers leave the rectified camera at zeros.
  const rectified = p[0] ? { fx: p[0], fy: p[5] ?? p[0], cx: p[2] ?? cx, cy: p[6] ?? cy } : camera;
  const isTurned = r.length === 9 && r.some((part) => part !== 0);
  const rotation = isTurned ? r : [1, 0, 0, 0, 1, 0, 0, 0, 1];
  return crop(fields, { ...size, model, distortion, camera, rectified, rotation });
}

function findModel(name: string): Calibration["model"] {
  const model = Object.entries(models).find(([each]) => each === name.toLowerCase())?.[1];
  if (model === undefined) throw new UnreadableMessage(`The distortion model "${name.slice(0, 40)}" is not known.`);
  return model;
}

/** The calibration is of the whole sensor: pictures may be a part of it, and join its pixels. */
function crop(fields: Fields, whole: Calibration): Calibration {
  const roi = readPart(fields, "roi");
  const across = Math.max(1, Number(fields.binning_x ?? 1) || 1);
  const down = Math.max(1, Number(fields.binning_y ?? 1) || 1);
  const part = {
    x: Number(roi.x_offset ?? 0) || 0,
    y: Number(roi.y_offset ?? 0) || 0,
    width: Number(roi.width ?? 0) || whole.width,
    height: Number(roi.height ?? 0) || whole.height,
  };
  const toPart = ({ fx, fy, cx, cy }: Pinhole): Pinhole => ({
    fx: fx / across,
    fy: fy / down,
    cx: (cx - part.x) / across,
    cy: (cy - part.y) / down,
  });
  return {
    ...whole,
    width: Math.floor(part.width / across),
    height: Math.floor(part.height / down),
    camera: toPart(whole.camera),
    rectified: toPart(whole.rectified),
  };
}
