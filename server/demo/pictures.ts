import { demoDevices, type DemoRecording } from "@/server/demo/fleet";
import { Robot } from "@/server/demo/robot";
import { drawScene, visiblePallets, type Box } from "@/server/demo/scene";
import { encode } from "@/server/demo/stories";

/** A picture of the demo's dataset, with the boxes that a person would draw. */
export interface DemoPicture {
  fileName: string;
  pallets: Box[];
  draw: () => Promise<Buffer>;
}

const count = 24;
const everySeconds = 12;

/** Pictures of a mobile robot's camera, as its recording holds them. */
export function demoPictures(recordings: readonly DemoRecording[]): DemoPicture[] {
  const recording = recordings.find((each) => each.robot === "amr" && each.pictures);
  if (!recording) return [];
  const robot = new Robot(recording);
  const name = demoDevices[recording.device]!.name.toLowerCase().replaceAll(" ", "-");
  const pictures: DemoPicture[] = [];
  for (let tick = 0; pictures.length < count; tick++) {
    const seconds = tick / 10;
    robot.step(seconds);
    if (tick % (10 * everySeconds) !== 0) continue;
    const view = robot.view(seconds);
    pictures.push({
      fileName: `${name}_${String(seconds).padStart(4, "0")}.jpg`,
      pallets: visiblePallets(view),
      draw: () => encode(drawScene(recording.robot, view)),
    });
  }
  return pictures;
}
