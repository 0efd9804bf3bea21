import { CanvasTexture, Sprite, SpriteMaterial, SRGBColorSpace } from "three";
import type { Colour } from "@/engine/messages/scene-object";

const pixels = 48;

export const toStyle = ([red, green, blue]: Colour): string =>
  `rgb(${[red, green, blue].map((part) => Math.round(part * 255)).join(" ")})`;

/**
 * A text that always faces the camera: `height` metres high, or with a halo as high as it is at any distance and over
 * everything, whose colour sets it apart from what is below.
 */
export function createLabel(text: string, height: number, style: string, halo: string | null = null): Sprite {
  const isScreenSize = halo !== null;
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
    context.fillStyle = style;
    if (halo !== null) [context.strokeStyle, context.lineWidth, context.lineJoin] = [halo, 8, "round"];
    for (const [at, line] of lines.entries()) {
      if (halo !== null) context.strokeText(line, 4, pixels * 1.25 * (at + 0.5));
      context.fillText(line, 4, pixels * 1.25 * (at + 0.5));
    }
  }
  const texture = new CanvasTexture(canvas);
  // Else dark letters would be drawn much lighter than asked for.
  texture.colorSpace = SRGBColorSpace;
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
