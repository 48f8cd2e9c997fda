// The HTTP server with its routes and pages.
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { ConnectionLimiter } from '../../api/admission/limit-connections.ts'
import { readPanel } from '../../api/http/panel.ts'
import { servedRoutes } from '../../api/routes.ts'
import { createServer } from '../../api/server.ts'
import type { Services } from '../../api/services.ts'
import type { Chats } from '../../chat/session/chats.ts'
import type { ServiceConfig } from '../../config.ts'
import { MAX_UPLOAD_SIZE_MB } from '../../domain/settings.ts'
import type { ServiceAddress } from '../address.ts'
import type { ServicePart } from '../lifecycle.ts'

interface HttpDeps {
  services: Services
  connections: ConnectionLimiter
  chats: Pick<Chats, 'close'>
  address: ServiceAddress
}

/** Values of HOST with which the service listens on every address of the machine. */
const EVERY_ADDRESS = ['0.0.0.0', '::', '']

export async function openHttp(
  config: ServiceConfig,
  { services, connections, chats, address }: HttpDeps,
): Promise<ServicePart> {
  const app = await createServer(services, servedRoutes(config), {
    connections,
    ...{ bodyLimitBytes: 32 << 20, uploadLimitBytes: MAX_UPLOAD_SIZE_MB << 20 },
    spoolDir: join(config.dataDir, 'spool'),
    ...{ panel: readPanel(join(import.meta.dirname, '../../../web/dist')), frameAncestors: config.frameAncestors },
    corsOrigins: config.corsOrigins,
    identityHeaders: config.headerSignIn?.headers ?? null,
    origins: {
      ...{ trustedProxies: config.trustedProxies, publicUrl: config.publicUrl },
      listenUrl: () => (EVERY_ADDRESS.includes(config.host) ? null : address.url()),
    },
  })
  return {
    async start() {
      await app.listen({ host: config.host, port: config.port })
      // A server that listens on a host has no path instead.
      address.setPort((app.server.address() as AddressInfo).port)
    },
    async close() {
      // Answers that are still streaming would keep the server from closing.
      await chats.close()
      await app.close()
    },
  }
}
