// Every route of the program, in the order of the reference.
import type { AnyRoute } from './route.ts'
import { apiKeyRoutes } from './routes/api-keys.ts'
import { benchRoutes } from './routes/bench.ts'
import { connectorRoutes } from './routes/connectors.ts'
import { credentialRoutes } from './routes/credentials.ts'
import { fileRoutes } from './routes/files.ts'
import { ingestionRoutes } from './routes/ingestion.ts'
import { referenceRoutes } from './routes/reference.ts'
import { searchRoutes } from './routes/search.ts'
import { stateRoutes } from './routes/state.ts'
import { toolRoutes } from './routes/tools.ts'

export const routes: readonly AnyRoute[] = [
  ...ingestionRoutes,
  ...searchRoutes,
  ...connectorRoutes,
  ...credentialRoutes,
  ...toolRoutes,
  ...fileRoutes,
  ...apiKeyRoutes,
  ...stateRoutes,
]

export const routesOf = ({ isBench }: { isBench: boolean }): readonly AnyRoute[] => [
  ...routes,
  ...referenceRoutes(routes),
  ...(isBench ? benchRoutes : []),
]
