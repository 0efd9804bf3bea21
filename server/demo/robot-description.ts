import { mounts } from "@/server/demo/frames";

/** Metres. */
export const wheels = { radius: 0.1, track: 0.5 } as const;

const color = (name: string, rgba: string): string => `<material name="${name}"><color rgba="${rgba}"/></material>`;

const visual = (geometry: string, material: string, z = 0): string =>
  `<visual><origin xyz="0 0 ${z}" rpy="0 0 0"/><geometry>${geometry}</geometry>${material}</visual>`;

const box = (x: number, y: number, z: number): string => `<box size="${x} ${y} ${z}"/>`;
const cylinder = (radius: number, length: number): string => `<cylinder radius="${radius}" length="${length}"/>`;

const fixed = (child: string, { x, y, z }: { x: number; y: number; z: number }, rpy = "0 0 0"): string =>
  `<joint name="${child}_mount" type="fixed"><parent link="base_link"/><child link="${child}"/><origin xyz="${x} ${y} ${z}" rpy="${rpy}"/></joint>`;

const wheel = (name: string, y: number): string =>
  `<link name="${name}_link"><visual><origin xyz="0 0 0" rpy="1.5707963 0 0"/><geometry>${cylinder(wheels.radius, 0.06)}</geometry>${color("rubber", "0.1 0.1 0.1 1")}</visual></link>
  <joint name="${name}" type="continuous"><parent link="base_link"/><child link="${name}_link"/><origin xyz="0 ${y} ${wheels.radius}" rpy="0 0 0"/><axis xyz="0 1 0"/></joint>`;

/** The description of the demo's mobile robots (URDF): a body on two wheels, a mast with camera and lidar, a scanner. */
export const robotDescription = `<?xml version="1.0"?>
<robot name="demo_amr">
  <link name="base_link">
    ${visual(box(0.8, 0.55, 0.25), color("body", "0.9 0.45 0.1 1"), 0.225)}
    ${visual(box(0.7, 0.45, 0.04), color("deck", "0.2 0.22 0.25 1"), 0.37)}
    ${visual(cylinder(0.03, 0.65), color("mast", "0.5 0.52 0.55 1"), 0.7)}
  </link>
  ${wheel("wheel_left", wheels.track / 2)}
  ${wheel("wheel_right", -wheels.track / 2)}
  <link name="camera_front">${visual(box(0.1, 0.05, 0.04), color("camera", "0.1 0.1 0.12 1"))}</link>
  ${fixed("camera_front", mounts.camera, "-1.5707963 0 -1.5707963")}
  <link name="lidar">${visual(cylinder(0.06, 0.08), color("lidar", "0.15 0.25 0.6 1"))}</link>
  ${fixed("lidar", mounts.lidar)}
  <link name="scanner">${visual(cylinder(0.05, 0.06), color("scanner", "0.9 0.8 0.1 1"))}</link>
  ${fixed("scanner", mounts.scanner)}
</robot>
`;
