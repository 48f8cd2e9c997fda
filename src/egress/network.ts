// The only file that asks the resolver and opens a TCP connection.
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'

export interface Network {
  /** Every address of a name; none, or an error, when there is none. A literal address is never asked for. */
  resolve(name: string): Promise<string[]>
  /** A connection to one of these addresses and to no other, tried in their order; the signal ends the attempt only. */
  open(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket>
  /** The addresses of this machine's interfaces at this moment. */
  ownAddresses(): string[]
}

const ATTEMPT_TIMEOUT_MS = 1000

export const systemNetwork: Network = {
  resolve: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  open: (addresses, port, signal) => {
    signal.throwIfAborted()
    // With its own look-up Node tries several addresses as it does for a name, and no name is resolved again.
    const socket = connect({
      host: 'judged',
      port,
      noDelay: true,
      lookup: answerWith(addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
    })
    return reached(socket, 'connect', signal)
  },
  ownAddresses: () =>
    Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address)),
}

const answerWith =
  (addresses: readonly string[]): LookupFunction =>
  (_name, _options, answer) =>
    answer(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    )

/** The socket once that event came; the signal ends the wait and the socket, afterwards it has no hold on it. */
export async function reached<S extends Socket>(socket: S, event: 'connect' | 'secureConnect', signal: AbortSignal) {
  // Stays for the life of the socket: a fault between two owners must not end the process.
  socket.on('error', () => {})
  try {
    await once(socket, event, { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}
