import { openPlainIndex } from '../../src/search-index/plain/plain-index.ts'
import { searchIndexContract } from './search-index.ts'
import { vectorContract } from './vectors.ts'

searchIndexContract('plain', async () => openPlainIndex(), { isPersistent: false })
vectorContract('plain', async (_, vectors) => openPlainIndex({ vectors }), { isPersistent: false })
