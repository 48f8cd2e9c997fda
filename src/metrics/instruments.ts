// Counters, gauges and histograms, and the text format of Prometheus, version 0.0.4:
// https://prometheus.io/docs/instrumenting/exposition_formats/

export type Labels = Readonly<Record<string, string>>

export interface Instrument {
  /** The metric with HELP and TYPE lines; an empty string before the first value. */
  text(): string
}
export interface Counter extends Instrument {
  add(value: number, labels?: Labels): void
}
export interface Gauge extends Instrument {
  set(value: number, labels?: Labels): void
}
export interface Histogram extends Instrument {
  observe(value: number, labels?: Labels): void
}

interface InstrumentOptions {
  name: string
  help: string
}

export function counter({ name, help }: InstrumentOptions): Counter {
  const values = new Map<string, number>()
  return {
    add(value, labels = {}) {
      const key = labelText(labels)
      values.set(key, (values.get(key) ?? 0) + value)
    },
    text: () => formatMetric({ name, help, type: 'counter' }, valueLines(name, values)),
  }
}

export function gauge({ name, help }: InstrumentOptions): Gauge {
  const values = new Map<string, number>()
  return {
    set: (value, labels = {}) => void values.set(labelText(labels), value),
    text: () => formatMetric({ name, help, type: 'gauge' }, valueLines(name, values)),
  }
}

interface Series {
  /** The count of each bucket; the last bucket is above every bound. */
  counts: number[]
  sum: number
}

/** `bounds` must ascend. A value belongs to the first bucket whose bound is at least the value. */
export function histogram({ name, help, bounds }: InstrumentOptions & { bounds: readonly number[] }): Histogram {
  const all = new Map<string, Series>()
  return {
    observe(value, labels = {}) {
      const key = labelText(labels)
      const series = all.get(key) ?? { counts: Array<number>(bounds.length + 1).fill(0), sum: 0 }
      all.set(key, series)
      const at = bounds.findIndex((bound) => value <= bound)
      series.counts[at < 0 ? bounds.length : at]! += 1
      series.sum += value
    },
    text: () =>
      formatMetric(
        { name, help, type: 'histogram' },
        [...all].flatMap(([key, series]) => seriesLines(name, key, bounds, series)),
      ),
  }
}

function seriesLines(name: string, key: string, bounds: readonly number[], { counts, sum }: Series): string[] {
  let below = 0
  const buckets = [...bounds.map(String), '+Inf'].map((bound, at) => {
    below += counts[at]!
    return `${name}_bucket${formatLabels([key, `le="${bound}"`])} ${below}`
  })
  return [...buckets, `${name}_sum${formatLabels([key])} ${sum}`, `${name}_count${formatLabels([key])} ${below}`]
}

const valueLines = (name: string, values: ReadonlyMap<string, number>) =>
  [...values].map(([key, value]) => `${name}${formatLabels([key])} ${number(value)}`)

const number = (value: number) => (Number.isFinite(value) ? String(value) : 'NaN')

const formatMetric = ({ name, help, type }: InstrumentOptions & { type: string }, lines: readonly string[]) =>
  lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`

const formatLabels = (parts: readonly string[]) => {
  const inner = parts.filter(Boolean).join()
  return inner === '' ? '' : `{${inner}}`
}

const labelText = (labels: Labels) =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (it) => (it === '\n' ? '\\n' : `\\${it}`))}"`)
    .join()
