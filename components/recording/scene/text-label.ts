import { CanvasTexture, LinearFilter, Sprite, SpriteMaterial, SRGBColorSpace } from "three";
import type { Colour } from "@/engine/messages/scene-object";

/** The height of a line: what is near can be large; what is always small is drawn at twice its size. */
const [scenePixels, screenPixels] = [48, 26];

export const toStyle = ([red, green, blue]: Colour): string =>
  `rgb(${[red, green, blue].map((part) => Math.round(part * 255)).join(" ")})`;

/**
 * A text that always faces the camera: `height` metres high, or on a ground of a colour, as high at any distance and over
 * everything else.
 */
export function createLabel(text: string, height: number, style: string, ground: string | null = null): Sprite {
  const isScreenSize = ground !== null;
  const pixels = isScreenSize ? screenPixels : scenePixels;
  const canvas = new OffscreenCanvas(1, 1);
  const context = canvas.getContext("2d");
  const lines = text.split("\n").slice(0, 20);
  const font = `500 ${pixels}px sans-serif`;
  if (context) {
    context.font = font;
    canvas.width = Math.min(4_096, Math.ceil(Math.max(...lines.map((line) => context.measureText(line).width))) + 8);
    canvas.height = Math.ceil(pixels * 1.25 * lines.length);
    context.font = font;
    context.textBaseline = "middle";
    if (ground !== null) {
      context.fillStyle = ground;
      context.fillRect(0, 0, canvas.width, canvas.height);
    }
    context.fillStyle = style;
    for (const [at, line] of lines.entries()) context.fillText(line, 4, pixels * 1.25 * (at + 0.5));
  }
  const texture = new CanvasTexture(canvas);
  // Else dark letters would be drawn much lighter than asked for.
  texture.colorSpace = SRGBColorSpace;
  // Smaller copies of thin letters would be pale.
  if (isScreenSize) [texture.minFilter, texture.generateMipmaps] = [LinearFilter, false];
  const material = new SpriteMaterial({
    map: texture,
    transparent: true,
    depthTest: !isScreenSize,
    sizeAttenuation: !isScreenSize,
  });
  const sprite = new Sprite(material);
  const scale = (height * lines.length * 1.25) / canvas.height;
  sprite.scale.set(canvas.width * scale, canvas.height * scale, 1);
  if (isScreenSize) sprite.center.set(0, 0);
  return sprite;
}
