// Loaded into every Node program of `npm test`, because NODE_OPTIONS does not take this option: functions run eight times
// as long before V8 optimizes them, as most of these programs end before that would pay for its compilation.
process.getBuiltinModule("node:v8").setFlagsFromString("--interrupt-budget=540672");
