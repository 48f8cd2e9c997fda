// How fast do sources come in, and how little is read again when little has changed?
import { benchTracker } from './tracker.ts'
import { benchWeb } from './web.ts'

export async function run(): Promise<void> {
  await benchWeb()
  await benchTracker()
}
