/** A field of a message type of protobuf's own library; `type` of messages is their full name. */
interface KnownField {
  name: string;
  number: number;
  type: "double" | "float" | "int64" | "uint64" | "int32" | "uint32" | "bool" | "string" | "bytes" | "enum" | "message";
  typeName?: string;
  repeated?: boolean;
  /** Whether an absent value differs from zero. */
  presence?: boolean;
}

const scope = "google.protobuf.";
const field = (name: string, number: number, type: KnownField["type"]): KnownField => ({ name, number, type });
const wrapper = (type: KnownField["type"]): KnownField[] => [field("value", 1, type)];
const time = [field("seconds", 1, "int64"), field("nanos", 2, "int32")];
const member = (name: string, number: number, type: KnownField["type"], typeName = ""): KnownField => {
  return { name, number, type, presence: true, ...(typeName !== "" && { typeName: `${scope}${typeName}` }) };
};

/** Types that everyone's schemas refer to and that some recorders leave out, as their .proto files define them. */
const known: ReadonlyMap<string, readonly KnownField[]> = new Map([
  ["Timestamp", time],
  ["Duration", time],
  ["DoubleValue", wrapper("double")],
  ["FloatValue", wrapper("float")],
  ["Int64Value", wrapper("int64")],
  ["UInt64Value", wrapper("uint64")],
  ["Int32Value", wrapper("int32")],
  ["UInt32Value", wrapper("uint32")],
  ["BoolValue", wrapper("bool")],
  ["StringValue", wrapper("string")],
  ["BytesValue", wrapper("bytes")],
  ["Empty", []],
  ["Any", [field("type_url", 1, "string"), field("value", 2, "bytes")]],
  ["FieldMask", [{ ...field("paths", 1, "string"), repeated: true }]],
  ["Struct", [{ ...member("fields", 1, "message", "Struct.FieldsEntry"), repeated: true }]],
  ["Struct.FieldsEntry", [field("key", 1, "string"), member("value", 2, "message", "Value")]],
  ["ListValue", [{ ...member("values", 1, "message", "Value"), repeated: true }]],
  [
    "Value",
    [
      member("null_value", 1, "enum"),
      member("number_value", 2, "double"),
      member("string_value", 3, "string"),
      member("bool_value", 4, "bool"),
      member("struct_value", 5, "message", "Struct"),
      member("list_value", 6, "message", "ListValue"),
    ],
  ],
]);

/** The fields of a type of protobuf's own library by its full name; undefined for any other. */
export const findKnownFields = (name: string): readonly KnownField[] | undefined =>
  name.startsWith(scope) ? known.get(name.slice(scope.length)) : undefined;
