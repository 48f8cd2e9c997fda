import type { ServiceConfig } from '../config.ts'

/** Where the service listens. With PORT=0 the port is known only after the server has started to listen. */
export interface ServiceAddress {
  port(): number
  url(): string
  setPort(port: number): void
}

export function createServiceAddress({ host, port: configuredPort }: ServiceConfig): ServiceAddress {
  let port = configuredPort
  return {
    port: () => port,
    url: () => `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    setPort(actual) {
      port = actual
    },
  }
}
