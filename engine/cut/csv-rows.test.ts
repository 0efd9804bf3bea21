import { parse } from "@foxglove/rosmsg";
import { MessageWriter } from "@foxglove/rosmsg2-serialization";
import { expect, test } from "vitest";
import { CsvRows } from "@/engine/cut/csv-rows";
import type { Channel, RawMessage } from "@/engine/formats/recording";
import { MessageDecoders } from "@/engine/messages/message-decoders";

const schema = "builtin_interfaces/Time stamp\nint64 ticks\nfloat64[] position\nstring name\nbool on\nuint8[] data\n";
const time = "=====\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n";
const channel: Channel = {
  id: 0,
  topic: "/joints",
  messageEncoding: "cdr",
  schemaName: "pkg/msg/Joints",
  schemaEncoding: "ros2msg",
  schemaData: Buffer.from(schema + time),
};
const write = (value: object, logTime: bigint): RawMessage => ({
  channel,
  logTime,
  publishTime: logTime,
  sequence: 0,
  data: new MessageWriter(parse(schema + time, { ros2: true })).writeMessage(value),
});

test("a row has the values at its paths: exact numbers, times in seconds, nothing where there is nothing", () => {
  const paths = ["stamp", "ticks", "position[1]", "name", "on", "stamp.nsec", "data", "none.at.all", "]["];
  const rows = new CsvRows(paths, new MessageDecoders());
  expect(rows.header()).toBe("log_time_ns,stamp,ticks,position[1],name,on,stamp.nsec,data,none.at.all\r\n");
  const value = {
    stamp: { sec: 5, nanosec: 7 },
    ticks: 9_007_199_254_740_993n,
    position: [1, NaN],
    name: 'a "b", c',
    on: true,
    data: new Uint8Array(3),
  };
  expect(rows.row(write(value, 1_760_000_000_000_000_001n))).toBe(
    '1760000000000000001,5.000000007,9007199254740993,NaN,"a ""b"", c",true,7,,\r\n',
  );
  expect(rows.row(write({ ...value, position: [], name: "=1+1" }, 2n))).toContain(",,'=1+1,true,");
  expect(rows.unreadable).toBe(0);
});

test("a message that cannot be decoded has a row with its time only", () => {
  const rows = new CsvRows(["ticks", "name"], new MessageDecoders());
  expect(rows.row({ ...write({}, 3n), data: new Uint8Array(6) })).toBe("3,,\r\n");
  expect(rows.unreadable).toBe(1);
});
