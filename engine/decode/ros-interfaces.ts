import { splitDerivedName } from "@/engine/decode/ros-derived-names";
import { RecordingError } from "@/engine/formats/recording-error";

const uuid = "unique_identifier_msgs/UUID";
const info = "service_msgs/ServiceEventInfo";

/** Types that the derived ones use and that recorders do not write down. */
const implied: readonly (readonly [string, readonly string[]])[] = [
  [uuid, ["uint8[16] uuid"]],
  [
    info,
    [
      "uint8 REQUEST_SENT=0",
      "uint8 REQUEST_RECEIVED=1",
      "uint8 RESPONSE_SENT=2",
      "uint8 RESPONSE_RECEIVED=3",
      "uint8 event_type",
      "builtin_interfaces/Time stamp",
      "char[16] client_gid",
      "int64 sequence_number",
    ],
  ],
];

type Types = Map<string, readonly string[]>;

function addService(types: Types, stem: string, request: readonly string[], response: readonly string[]): void {
  types.set(`${stem}_Request`, request);
  types.set(`${stem}_Response`, response);
  types.set(`${stem}_Event`, [`${info} info`, `${stem}_Request[<=1] request`, `${stem}_Response[<=1] response`]);
}

/**
 * The lines of every type that ROS 2 derives from a service (two parts) or an action (three), with those that these use.
 * `name`: that of one of them, or of the service or action. Throws a RecordingError for more parts.
 */
export function deriveTypes(
  name: string,
  parts: readonly (readonly string[])[],
): ReadonlyMap<string, readonly string[]> {
  const stem = splitDerivedName(name)?.stem ?? name;
  const types: Types = new Map(implied);
  const [first = [], second = [], third = []] = parts;
  if (parts.length > 3) throw new RecordingError("The definition has more parts than a service or an action.");
  if (parts.length === 2) addService(types, stem, first, second);
  else {
    types.set(`${stem}_Goal`, first);
    types.set(`${stem}_Result`, second);
    types.set(`${stem}_Feedback`, third);
    types.set(`${stem}_FeedbackMessage`, [`${uuid} goal_id`, `${stem}_Feedback feedback`]);
    addService(
      types,
      `${stem}_SendGoal`,
      [`${uuid} goal_id`, `${stem}_Goal goal`],
      ["bool accepted", "builtin_interfaces/Time stamp"],
    );
    addService(types, `${stem}_GetResult`, [`${uuid} goal_id`], ["int8 status", `${stem}_Result result`]);
  }
  return types;
}
