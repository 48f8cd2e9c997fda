// The only import of child processes: parsers of hostile files run in a separate process.
// biome-ignore lint/style/noRestrictedImports: a process that may not even write reaches no address.
export { type ChildProcess, fork } from 'node:child_process'
