import { formatNumber, plural } from "@/components/kit/format";
import { isoFromNs } from "@/domain/time/nanoseconds";
import type { LayerReport, ScenePick, SceneReport } from "./scene-report";

/** What a layer shows, in a few words. */
export function describeLayer(layer: LayerReport, showTime: (time: bigint) => string = isoFromNs): string {
  if (layer.state === "failed")
    return layer.time === null ? (layer.reason ?? "") : `${layer.reason} (${showTime(layer.time)})`;
  if (layer.state === "none") return layer.first === null ? "no messages" : `first message at ${showTime(layer.first)}`;
  if (layer.reason !== null) return `not shown: ${layer.reason}`;
  if (layer.points > 0) return plural(layer.points, "point");
  if (layer.voxels > 0) return plural(layer.voxels, "voxel");
  // Updates are drawn by what they change.
  if (layer.objects === 0) return layer.notes[0] ?? "no object";
  const { loading } = layer.meshes;
  return `${plural(layer.objects, "object")}${loading > 0 ? `, ${plural(loading, "mesh", "meshes")} loading` : ""}`;
}

/** What a scene shows, for those who do not see it. */
export function describeScene(report: SceneReport | null): string {
  if (report?.moment == null) return "Loading the 3-D view";
  const layers = report.layers.map((layer) => `${layer.topic}: ${describeLayer(layer)}`);
  return [`3-D view of ${isoFromNs(report.moment)}`, ...(layers.length > 0 ? layers : ["nothing to show"])].join("; ");
}

/** The layers whose last message cannot be shown. */
export const listFailures = (report: SceneReport): { topic: string; reason: string; time: bigint | null }[] =>
  report.layers.flatMap(({ state, topic, reason, time }) =>
    state === "failed" ? [{ topic, reason: reason ?? "", time }] : [],
  );

/** What else is dimmed or missing, with the reason. */
export const listProblems = (report: SceneReport): string[] => [
  ...report.layers
    .filter(({ state, reason }) => state !== "failed" && reason !== null)
    .map((layer) => `${layer.topic}: ${describeLayer(layer)}`),
  ...report.layers.flatMap(({ topic, state, apart }) =>
    state === "shown" && apart !== null ? [`${topic}: drawn in its own frame: ${apart}`] : [],
  ),
  ...report.layers.flatMap(({ topic, meshes }) => meshes.problems.map((problem) => `${topic}: ${problem}`)),
  ...report.problems,
];

/** Two digits after the point, with the minus sign of all other numbers; no zero is below zero. */
const formatFixed = (value: number, digits = 2): string =>
  value
    .toFixed(digits)
    .replace(/^-(?=0\.0*$)/, "")
    .replace("-", "−");

const describePlace = ({ place: [x, y, z] }: ScenePick): string =>
  `${formatFixed(x)}, ${formatFixed(y)}, ${formatFixed(z)} m`;

/** What somebody picked, line by line. */
export function describePick(pick: ScenePick): string[] {
  const title = pick.topic === null ? "Ground" : [pick.topic, pick.name].filter(Boolean).join(" ");
  return [title, describePlace(pick), ...pick.fields.map(({ name, value }) => `${name} ${formatNumber(value, 3)}`)];
}

/** The distance between two picked places: straight, along the ground, upwards, and its slope. */
export function describeDistance(from: ScenePick, to: ScenePick): string {
  const [dx, dy, dz] = [to.place[0] - from.place[0], to.place[1] - from.place[1], to.place[2] - from.place[2]];
  const flat = Math.hypot(dx, dy);
  const slope = (Math.atan2(dz, flat) * 180) / Math.PI;
  return `${Math.hypot(flat, dz).toFixed(2)} m (${flat.toFixed(2)} m along the ground, ${formatFixed(dz)} m up, ${formatFixed(slope, 1)}°)`;
}
