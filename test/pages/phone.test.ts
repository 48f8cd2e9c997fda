import { lookAtPages, NARROWEST } from './look.ts'

await lookAtPages({ name: 'phone', scheme: 'light', width: NARROWEST, language: 'en' })
