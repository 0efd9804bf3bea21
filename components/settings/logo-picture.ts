import { logoSide } from "@/domain/organizations/logo";

/** The bytes of a PNG in base64. */
async function toBase64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** Draws a picture small and reads it as a PNG in base64. Rejects with a DOMException for what is no picture. */
export async function pngOfFile(file: Blob): Promise<string> {
  const address = URL.createObjectURL(file);
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    // A drawing may have no size of its own.
    const [width, height] = [image.naturalWidth || logoSide, image.naturalHeight || logoSide];
    const scale = Math.min(1, logoSide / Math.max(width, height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const png = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    if (!png) throw new DOMException("The picture could not be drawn.", "EncodingError");
    return await toBase64(png);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** The logo at a path, in base64; null when it is gone. */
export async function pngOfPath(path: string): Promise<string | null> {
  const response = await fetch(path);
  return response.ok ? toBase64(await response.blob()) : null;
}
