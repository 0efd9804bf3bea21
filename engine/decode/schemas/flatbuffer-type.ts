/** Types of values, by their numbers in reflection.fbs. */
export const FlatBase = {
  none: 0,
  unionType: 1,
  bool: 2,
  byte: 3,
  ubyte: 4,
  short: 5,
  ushort: 6,
  int: 7,
  uint: 8,
  long: 9,
  ulong: 10,
  float: 11,
  double: 12,
  string: 13,
  vector: 14,
  object: 15,
  union: 16,
  array: 17,
} as const;

/** Bytes of each type where it stands inline, by its number; texts, lists and tables stand there as offsets. */
export const flatSizes: readonly number[] = [0, 1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 4, 4, 4, 4, 0];

export interface FlatType {
  base: number;
  /** Of the elements of a list or array; none otherwise. */
  element: number;
  /** Of the object or enum; null for other types. */
  index: number | null;
  /** Elements of an array. */
  length: number;
}

export interface FlatField {
  name: string;
  type: FlatType;
  /** Of its entry in a table's layout, or of its bytes in a struct. */
  offset: number;
  /** What a table without the field has; undefined where that is nothing. */
  fallback: number | bigint | boolean | undefined;
}

export interface FlatObject {
  name: string;
  fields: readonly FlatField[];
  isStruct: boolean;
  /** Of a struct. */
  bytes: number;
}

export interface FlatEnum {
  names: Record<number, string>;
  isUnion: boolean;
  /** Of a union, the type of each of its values. */
  members: ReadonlyMap<number, FlatType>;
}

export interface FlatSchema {
  objects: readonly FlatObject[];
  enums: readonly FlatEnum[];
  root: FlatObject;
}
