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
  buckets: { bound: number; count: number }[]
  /** The count above every bound. */
  above: number
  sum: number
}

/** `bounds` must ascend. A value belongs to the first bucket whose bound is at least the value. */
export function histogram({ name, help, bounds }: InstrumentOptions & { bounds: readonly number[] }): Histogram {
  const all = new Map<string, Series>()
  return {
    observe(value, labels = {}) {
      const key = labelText(labels)
      const series = all.get(key) ?? { buckets: bounds.map((bound) => ({ bound, count: 0 })), above: 0, sum: 0 }
      all.set(key, series)
      const bucket = series.buckets.find(({ bound }) => value <= bound)
      if (bucket === undefined) series.above += 1
      else bucket.count += 1
      series.sum += value
    },
    text: () =>
      formatMetric(
        { name, help, type: 'histogram' },
        [...all].flatMap(([key, series]) => seriesLines(name, key, series)),
      ),
  }
}

function seriesLines(name: string, key: string, { buckets, above, sum }: Series): string[] {
  let below = 0
  const lines = [...buckets, { bound: '+Inf', count: above }].map(({ bound, count }) => {
    below += count
    return `${name}_bucket${formatLabels([key, `le="${bound}"`])} ${below}`
  })
  return [...lines, `${name}_sum${formatLabels([key])} ${sum}`, `${name}_count${formatLabels([key])} ${below}`]
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
