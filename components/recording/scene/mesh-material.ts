import { Loader, type Material, MeshLambertMaterial, SRGBColorSpace, Texture } from "three";
import type { MeshTexture } from "@/components/recording/thread/mesh-parts";
import type { Colour } from "@/engine/messages/scene-object";

/** Finds a file that a mesh refers to; null when there is none. */
export type FindFile = (name: string) => Promise<Uint8Array<ArrayBuffer> | null>;

/** Pixels along an edge of a picture that are drawn. */
const maxTextureSide = 4_096;

/** The material of what says none: its colour is that of the description. */
export const unknownMaterial = new MeshLambertMaterial({ name: Loader.DEFAULT_MATERIAL_NAME });

/** A picture on a mesh; null when it is missing or none. `isFlipped`: its first row lies at the top of the mesh. */
export async function readTexture(bytes: Uint8Array<ArrayBuffer> | null, isFlipped: boolean): Promise<Texture | null> {
  if (bytes === null || typeof createImageBitmap === "undefined") return null;
  try {
    const image = await createImageBitmap(new Blob([bytes]), { imageOrientation: isFlipped ? "flipY" : "none" });
    if (image.width <= maxTextureSide && image.height <= maxTextureSide) return new Texture(image);
    image.close();
  } catch {
    // Without its picture a mesh has its colour.
  }
  return null;
}

/** Materials of an .mtl file by their names. */
export async function readMtl(text: string, find: FindFile): Promise<Map<string, MeshLambertMaterial>> {
  const materials = new Map<string, MeshLambertMaterial>();
  let current: MeshLambertMaterial | null = null;
  for (const line of text.split("\n")) {
    const [key = "", ...values] = line.trim().split(/\s+/);
    const [first = NaN, second = NaN, third = NaN] = values.map(Number);
    const { length } = values;
    if (key === "newmtl") {
      current = new MeshLambertMaterial({ name: values.join(" ") });
      materials.set(current.name, current);
    } else if (current === null || length === 0) continue;
    else if (key === "Kd" && [first, second, third].every(Number.isFinite))
      current.color.setRGB(first, second, third, SRGBColorSpace);
    else if (key === "d" && Number.isFinite(first)) current.opacity = first;
    else if (key === "Tr" && Number.isFinite(first)) current.opacity = 1 - first;
    else if (key === "map_Kd") current.map = await readTexture(await find(values.at(-1) ?? ""), true);
  }
  return materials;
}

/** What a material makes a mesh look like; null for the one of what says none. */
export function describeMaterial(material: Material | undefined): {
  colour: Colour | null;
  texture: MeshTexture | null;
} {
  if (material === undefined || material.name === Loader.DEFAULT_MATERIAL_NAME) return { colour: null, texture: null };
  const { color, map } = material as Partial<Pick<MeshLambertMaterial, "color" | "map">>;
  const { r, g, b } = color ? color.clone().convertLinearToSRGB() : { r: 1, g: 1, b: 1 };
  const image: unknown = map?.image;
  const isDrawable = typeof ImageBitmap !== "undefined" && image instanceof ImageBitmap;
  return {
    colour: [r, g, b, Math.max(0, Math.min(1, material.opacity))],
    texture: map && isDrawable ? { image, wrapS: map.wrapS, wrapT: map.wrapT } : null,
  };
}
