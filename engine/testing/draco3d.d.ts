/** Of Google's package, what the tests use. */
declare module "draco3d" {
  import type { DracoModule } from "@/engine/messages/clouds/draco";

  interface DracoInt8Array {
    GetValue(at: number): number;
  }
  interface Builder<Cloud, Metadata> {
    AddFloatAttribute(cloud: Cloud, kind: number, count: number, parts: number, values: Float32Array): number;
    AddUInt8Attribute(cloud: Cloud, kind: number, count: number, parts: number, values: Uint8Array): number;
    SetMetadataForAttribute(cloud: Cloud, number: number, metadata: Metadata): boolean;
  }
  interface EncoderModule {
    Encoder: new () => {
      SetEncodingMethod(method: number): void;
      EncodePointCloudToDracoBuffer(cloud: object, deduplicates: boolean, into: DracoInt8Array): number;
    };
    PointCloudBuilder: new () => Builder<object, object>;
    PointCloud: new () => object;
    Metadata: new () => object;
    MetadataBuilder: new () => { AddStringEntry(metadata: object, name: string, value: string): boolean };
    DracoInt8Array: new () => DracoInt8Array;
    readonly POINT_CLOUD_SEQUENTIAL_ENCODING: number;
    readonly POSITION: number;
    readonly COLOR: number;
    readonly GENERIC: number;
  }
  export function createEncoderModule(): Promise<EncoderModule>;
  export function createDecoderModule(): Promise<DracoModule>;
}
