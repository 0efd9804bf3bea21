import { toDataView } from "@/engine/bytes";
import type { UlogSurvey } from "@/server/features/conversions/ulog-survey";

/** As many as a topic has fields. */
const maxParameters = 500;
const encapsulation = Uint8Array.of(0, 1, 0, 0);

interface Place {
  at: number;
  type: "int32" | "float32" | "float64";
}

/** The message of the parameters that change while a log is written: a field for each, with the values of a moment. */
export class ChangingParameters {
  readonly definition: string;
  /** How many there is no room for. */
  readonly leftOut: number;
  /** The message with the values of now, in CDR; it changes with them. */
  readonly data: Uint8Array;
  private readonly places = new Map<string, Place>();
  private readonly view: DataView;

  constructor(changing: UlogSurvey["changing"]) {
    const kept = [...changing].slice(0, maxParameters);
    this.leftOut = changing.size - kept.length;
    const fields = new Set<string>();
    const lines: string[] = [];
    let at = encapsulation.length;
    for (const [name, { type }] of kept) {
      const bytes = type === "float64" ? 8 : 4;
      at += (bytes - ((at - encapsulation.length) % bytes)) % bytes;
      this.places.set(name, { at, type });
      at += bytes;
      lines.push(`${type} ${toFieldName(name, fields)}`);
    }
    this.definition = lines.join("\n");
    this.data = new Uint8Array(at);
    this.data.set(encapsulation);
    this.view = toDataView(this.data);
    for (const [name, { value }] of kept) this.set(name, value ?? Number.NaN);
  }

  /** False for a parameter that the message has not. */
  set(name: string, value: number): boolean {
    const place = this.places.get(name);
    if (place === undefined) return false;
    if (place.type === "int32") this.view.setInt32(place.at, value, true);
    else if (place.type === "float32") this.view.setFloat32(place.at, value, true);
    else this.view.setFloat64(place.at, value, true);
    return true;
  }
}

/** A name that no field has yet: those of ROS have letters, digits and underscores. */
function toFieldName(name: string, taken: Set<string>): string {
  const plain = name.replaceAll(/\W/g, "_").replace(/^(?![A-Za-z])/, "p_");
  let field = plain;
  for (let n = 2; taken.has(field); n++) field = `${plain}_${n}`;
  taken.add(field);
  return field;
}
