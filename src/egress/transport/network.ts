// The only file that resolves names and opens TCP connections.
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'

export interface Network {
  /** All addresses of a host name. Empty or rejected if there are none. Never called with an IP address. */
  resolve(name: string): Promise<string[]>
  /** Connects to the first of these addresses that accepts. The signal aborts the attempt only. */
  open(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket>
  /** The current addresses of this machine's interfaces. */
  ownAddresses(): string[]
}

const ATTEMPT_TIMEOUT_MS = 1000

export const systemNetwork: Network = {
  resolve: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  open: (addresses, port, signal) => {
    signal.throwIfAborted()
    // A custom lookup makes Node try several addresses without resolving a name again.
    const socket = connect({
      host: 'judged',
      port,
      noDelay: true,
      lookup: fixedLookup(addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
    })
    return waitForEvent(socket, 'connect', signal)
  },
  ownAddresses: () =>
    Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address)),
}

const fixedLookup =
  (addresses: readonly string[]): LookupFunction =>
  (_name, _options, answer) =>
    answer(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    )

/** Resolves to the socket after the event. If the signal aborts first, the socket is destroyed. */
export async function waitForEvent<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
) {
  // Stays for the life of the socket, so that an error while ownership changes does not crash the process.
  socket.on('error', () => {})
  try {
    await once(socket, event, { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}
