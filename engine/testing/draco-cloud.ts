import { createEncoderModule } from "draco3d";

interface TestAttribute {
  kind: "POSITION" | "COLOR" | "GENERIC";
  parts: number;
  values: Float32Array | Uint8Array;
  /** What metadata call it. */
  name?: string;
}

/** A cloud as Google's encoder compresses it, without loss: nothing is quantized. */
export async function encodeDraco(count: number, attributes: readonly TestAttribute[]): Promise<Buffer> {
  const draco = await createEncoderModule();
  const [encoder, builder, cloud] = [new draco.Encoder(), new draco.PointCloudBuilder(), new draco.PointCloud()];
  for (const { kind, parts, values, name } of attributes) {
    const number =
      values instanceof Float32Array
        ? builder.AddFloatAttribute(cloud, draco[kind], count, parts, values)
        : builder.AddUInt8Attribute(cloud, draco[kind], count, parts, values);
    if (name === undefined) continue;
    const [metadata, writer] = [new draco.Metadata(), new draco.MetadataBuilder()];
    writer.AddStringEntry(metadata, "name", name);
    builder.SetMetadataForAttribute(cloud, number, metadata);
  }
  // Points keep their order.
  encoder.SetEncodingMethod(draco.POINT_CLOUD_SEQUENTIAL_ENCODING);
  const encoded = new draco.DracoInt8Array();
  const length = encoder.EncodePointCloudToDracoBuffer(cloud, false, encoded);
  return Buffer.from(Array.from({ length }, (_, at) => encoded.GetValue(at) & 0xff));
}
