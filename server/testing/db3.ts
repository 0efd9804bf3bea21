import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import sqlite from "node-sqlite3-wasm";
import { uuidv7 } from "@/server/platform/uid";

interface Db3Topic {
  name: string;
  type: string;
}

interface Db3Message {
  topic: number;
  time: bigint;
  data: Uint8Array;
}

/** What a rosbag2 file holds. `definitions`: as from ROS 2 Iron on. `extra`: statements run at the end. */
export interface Db3Contents {
  topics: Db3Topic[];
  messages: Db3Message[];
  definitions?: Record<string, string>;
  extra?: string[];
}

const tables = `create table topics(id integer primary key, name text not null, type text not null,
        serialization_format text not null, offered_qos_profiles text not null);
      create table messages(id integer primary key, topic_id integer not null, timestamp integer not null, data blob not null);
      create index timestamp_idx on messages (timestamp asc);`;

function addTopics(database: sqlite.Database, topics: readonly Db3Topic[]): void {
  for (const [at, { name, type }] of topics.entries()) {
    database.run("insert into topics values (?, ?, ?, 'cdr', '')", [at + 1, name, type]);
  }
}

const insertSql = "insert into messages (topic_id, timestamp, data) values (?, ?, ?)";

/** The bytes of a file in the layout of rosbag2's SQLite storage. */
export function writeDb3({ topics, messages, definitions, extra = [] }: Db3Contents): Buffer {
  const file = path.join(tmpdir(), `muster-${uuidv7()}.db3`);
  const database = new sqlite.Database(file);
  try {
    database.exec(`pragma journal_mode=memory; pragma synchronous=off; begin; ${tables}`);
    addTopics(database, topics);
    const insert = database.prepare(insertSql);
    for (const { topic, time, data } of messages) insert.run([topic, time, data]);
    insert.finalize();
    if (definitions) {
      database.exec(`create table message_definitions(id integer primary key, topic_type text not null,
        encoding text not null, encoded_message_definition text not null, type_description_hash text not null)`);
      for (const [type, text] of Object.entries(definitions)) {
        database.run(
          `insert into message_definitions (topic_type, encoding, encoded_message_definition, type_description_hash)
            values (?, 'ros2msg', ?, '')`,
          [type, text],
        );
      }
    }
    database.exec("commit");
    for (const statement of extra) database.exec(statement);
    database.close();
    return readFileSync(file);
  } finally {
    if (database.isOpen) database.close();
    rmSync(file, { force: true });
  }
}

/**
 * What a recorder leaves that is cut off while it writes with a write-ahead log. `inFile`: how many of the messages had come
 * into the file itself; null when not even its tables had.
 */
export function writeDb3WithLog(
  { topics, messages }: Db3Contents,
  inFile: number | null,
): { db3: Buffer; wal: Buffer } {
  const file = path.join(tmpdir(), `muster-${uuidv7()}.db3`);
  const database = new sqlite.Database(file);
  try {
    // Exclusive, because SQLite in WebAssembly shares no memory with others.
    database.exec(
      "pragma locking_mode=exclusive; pragma journal_mode=wal; pragma wal_autocheckpoint=0; pragma synchronous=off",
    );
    database.exec(tables);
    addTopics(database, topics);
    for (const [at, { topic, time, data }] of messages.entries()) {
      if (at === inFile) database.exec("pragma wal_checkpoint(restart)");
      database.run(insertSql, [topic, time, data]);
    }
    return { db3: readFileSync(file), wal: readFileSync(`${file}-wal`) };
  } finally {
    database.close();
    for (const made of [file, `${file}-wal`]) rmSync(made, { force: true });
  }
}
