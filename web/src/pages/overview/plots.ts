// The plots of the overview: which measurements each one shows, and in which unit.
import type { OverviewPoint } from '../../../../src/client/schemas.ts'
import type { ValueUnit } from './format-value.ts'

/** The texts `admin.overview.plots` and `admin.overview.lines` name them. */
interface PlotDefinition {
  name: string
  unit: ValueUnit
  /** Whether the values are counts of a step, which the title has to say. */
  isPerStep?: true
  lines: readonly { name: string; pick: (point: OverviewPoint) => number | null }[]
}

/** The rate also holds for a step that has just begun, and for one in which the service was down for a while. */
const perMinute = (count: number | null, { measured_s }: OverviewPoint): number | null =>
  count === null || measured_s === 0 ? null : (count / measured_s) * 60

export const PLOTS = [
  {
    name: 'documents',
    unit: 'number',
    lines: [
      { name: 'accepted', pick: (it) => perMinute(it.documents_accepted, it) },
      { name: 'indexed', pick: (it) => perMinute(it.documents_indexed, it) },
    ],
  },
  { name: 'waiting', unit: 'number', lines: [{ name: 'changes', pick: (it) => it.waiting }] },
  {
    name: 'longest_wait',
    unit: 'seconds',
    // Nothing that waits is a wait of 0, but only where the queue was measured.
    lines: [{ name: 'age', pick: (it) => (it.waiting === null ? null : (it.oldest_waiting_s ?? 0)) }],
  },
  {
    name: 'searches',
    unit: 'number',
    lines: [{ name: 'searches', pick: (it) => perMinute(it.searches, it) }],
  },
  {
    name: 'search_time',
    unit: 'milliseconds',
    lines: [
      { name: 'median', pick: (it) => it.search_p50_ms },
      { name: 'slowest', pick: (it) => it.search_p99_ms },
    ],
  },
  {
    name: 'answers',
    unit: 'number',
    isPerStep: true,
    lines: [{ name: 'answers', pick: (it) => it.answers }],
  },
  {
    name: 'tokens',
    unit: 'number',
    isPerStep: true,
    lines: [
      { name: 'read', pick: (it) => it.input_tokens },
      { name: 'written', pick: (it) => it.output_tokens },
    ],
  },
  {
    name: 'errors',
    unit: 'number',
    isPerStep: true,
    lines: [
      { name: 'responses', pick: (it) => it.server_errors },
      { name: 'failed_documents', pick: (it) => it.documents_failed },
    ],
  },
  {
    name: 'disk',
    unit: 'bytes',
    lines: [
      { name: 'used', pick: (it) => it.disk_used_bytes },
      { name: 'free', pick: (it) => it.disk_free_bytes },
    ],
  },
  { name: 'memory', unit: 'bytes', lines: [{ name: 'resident', pick: (it) => it.memory_bytes }] },
] as const satisfies readonly PlotDefinition[]

export type PlotOf = (typeof PLOTS)[number]
export type PlotLine = PlotOf['lines'][number]
