const time = `MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec`;
const header = `MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id`;
const rule = "=".repeat(80);

/** The definition of a message and of the types that it uses, as ROS 2 writes them one after another. */
const joinDefinitions = (...definitions: string[]): string => definitions.join(`\n${rule}\n`);

/** The definition of a message with a header, or with parts that have one. */
export const messageText = (own: string, ...others: string[]): string => joinDefinitions(own, header, time, ...others);

/** The definition of a message with a time. */
export const timedText = (own: string): string => joinDefinitions(own, time);
