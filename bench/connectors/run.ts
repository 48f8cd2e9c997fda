// The speed of reading sources, and how much a run reads again after few changes.
import { benchTracker } from './tracker.ts'
import { benchWeb } from './web.ts'

export async function run(): Promise<void> {
  await benchWeb()
  await benchTracker()
}
