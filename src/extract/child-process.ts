// The one door to processes: a parser of hostile files runs in one of its own, started from our own file.
// biome-ignore lint/style/noRestrictedImports: a process that may not even write reaches no address.
export { type ChildProcess, fork } from 'node:child_process'
