import { z } from "zod";
import { nonBlank, pageFields, text, uid } from "@/domain/fields";

/** Bytes of the zip of a robot description. */
export const maxRobotZipBytes = 64 * 1024 * 1024;
/** Files in it. */
export const maxRobotFiles = 1_000;
/** Bytes of all its files, unpacked. */
export const maxRobotUnpackedBytes = 256 * 1024 * 1024;

/** Free text, as devices have it. */
const deviceType = () => nonBlank(100);

export const CreateRobotDescription = z
  .object({
    device_type: deviceType().describe("Its description is replaced."),
    size_bytes: z
      .int()
      .min(1, { error: "Ensure this value is greater than or equal to 1." })
      .max(maxRobotZipBytes, { error: `Ensure this value is less than or equal to ${maxRobotZipBytes}.` })
      .describe("Of the zip."),
  })
  .meta({ example: { device_type: "arm", size_bytes: 482_113 } });
export type CreateRobotDescription = z.output<typeof CreateRobotDescription>;

export const RobotDescriptionFilters = z.object({
  device_type: text(100).optional().describe("A part of it."),
  ...pageFields(),
});
export type RobotDescriptionFilters = z.output<typeof RobotDescriptionFilters>;

export const RobotDescriptionUid = z.object({ uid: uid() });
