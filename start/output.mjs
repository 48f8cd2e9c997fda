// The output of a start on the terminal, and errors whose message is for a person.

const PROGRESS_MS = Number(process.env.START_PROGRESS_MS ?? 5_000)

export function say(text) {
  process.stderr.write(`${text}\n`)
}

/** An error whose message is for a person, without a stack. */
export function explained(message) {
  return Object.assign(new Error(message), { isExplained: true })
}

/** Prints the elapsed time every few seconds. */
export async function timed(work, detail = () => '') {
  const started = performance.now()
  const tookMs = () => performance.now() - started
  const ticks = setInterval(() => say(`  … ${seconds(tookMs())} s${detail()}`), PROGRESS_MS)
  try {
    return { result: await work(), tookMs: tookMs() }
  } finally {
    clearInterval(ticks)
  }
}

export function seconds(ms) {
  return ms < 10_000 ? (ms / 1_000).toFixed(1) : String(Math.round(ms / 1_000))
}
