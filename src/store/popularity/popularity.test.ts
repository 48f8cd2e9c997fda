import { testPopularity } from '../../../test/popularity-cases.ts'
import { temporaryDatabase } from '../../../test/temporary-database.ts'

const { db } = await temporaryDatabase()
testPopularity(() => db)
