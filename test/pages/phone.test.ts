import { NARROW } from '../e2e/browser.ts'
import { lookAtPages } from './look.ts'

await lookAtPages({ name: 'phone', scheme: 'light', width: NARROW, language: 'en' })
