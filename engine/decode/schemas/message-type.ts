/** The scalar types of ROS and IDL messages; `time` and `duration` are two 32-bit numbers. */
export type ScalarType =
  | "bool"
  | "int8"
  | "uint8"
  | "int16"
  | "uint16"
  | "int32"
  | "uint32"
  | "int64"
  | "uint64"
  | "float32"
  | "float64"
  | "string"
  | "time"
  | "duration";

/** Bytes on the wire; a string's is that of its length prefix. */
export const SCALAR_BYTES: Record<ScalarType, number> = {
  bool: 1,
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  int64: 8,
  uint64: 8,
  float32: 4,
  float64: 8,
  string: 4,
  time: 8,
  duration: 8,
};

export function isScalarType(name: string): name is ScalarType {
  return Object.hasOwn(SCALAR_BYTES, name);
}

/** A message type with its nested types resolved. Never recursive: the parsers refuse types that contain themselves. */
export interface StructType {
  name: string;
  fields: StructField[];
}

export interface StructField {
  name: string;
  type: ScalarType | StructType;
  /** Null for a single value; `length` is null for arrays that carry their own. */
  array: { length: number | null } | null;
  enumValues?: Record<number, string>;
  unit?: string;
}
