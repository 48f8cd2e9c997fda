// The only import of child processes in this room: a model takes processor time and memory in a process of its own.
// biome-ignore lint/style/noRestrictedImports: our own program, which reads pixels and reaches no address.
export { type ChildProcess, fork } from 'node:child_process'
